// EtherCalc's release of 2020: `node server.mjs ethercalc PORT`, with the Redis at `REDIS_PORT` of this
// machine. Without the variable it has its rooms in memory and writes them to files periodically. The
// clients are in bench/src/rooms/peers.rs and bench/src/commands.

import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [, port] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const ethercalc = dirname(require.resolve('ethercalc/package.json'));

// EtherCalc expects SocialCalc in its own folder, where current versions of npm do not install it.
const wanted = join(ethercalc, 'node_modules/socialcalc');
if (!existsSync(wanted)) {
  mkdirSync(dirname(wanted), { recursive: true });
  symlinkSync(dirname(require.resolve('socialcalc/package.json')), wanted, 'dir');
}

// Every run starts without rooms.
const rooms = join(ethercalc, '../.rooms');
rmSync(rooms, { recursive: true, force: true });
mkdirSync(rooms);
process.chdir(rooms);
// Nobody answers at port 1, so it falls back to files.
process.env.REDIS_PORT ??= '1';
process.env.REDIS_HOST = '127.0.0.1';
process.argv = [process.argv[0], process.argv[1], '--port', port, '--host', '127.0.0.1'];
require(join(ethercalc, 'app.js'));
