/**
 * EtherCalc's own page, release of 2020, in front of a server of ours: a proxy serves the files of the
 * npm package, and passes all other requests on. `cargo xtask test` installs the package in
 * `bench/peers/ethercalc`.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, request, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo, Socket } from "node:net";
import { extname, join, resolve } from "node:path";

const PEER = resolve(import.meta.dirname, "../../bench/peers/ethercalc");
const MODULES = join(PEER, "node_modules");

/** Whether EtherCalc's package is installed. */
export const isInstalled = existsSync(join(MODULES, "ethercalc/index.html"));

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".html": "text/html",
  ".png": "image/png",
};

/** Scripts that EtherCalc's server makes of functions in its modules, as zappa does. */
function clientScripts(): Map<string, string> {
  const scripts = new Map<string, string>();
  const load = createRequire(join(PEER, "package.json"));
  const client = (parts: Record<string, () => void>): void => {
    for (const [path, run] of Object.entries(parts)) {
      scripts.set(path, `;zappa.run(${run.toString()});`);
    }
  };
  for (const name of ["player-broadcast", "player-graph", "player"]) {
    const { include } = load(`ethercalc/${name}.js`) as { include: () => void };
    include.call({ client });
  }
  const zappa = load("zappajs/lib/client.js") as { build(version: string, settings: object): string };
  const helpers = "var __slice = [].slice, __hasProp = {}.hasOwnProperty, __indexOf = (list, item) => list.indexOf(item);";
  scripts.set("/zappa/zappa.js", `${helpers}(${zappa.build("0.5", { zappa_prefix: "/zappa" })})();`);
  return scripts;
}

/** A running proxy. */
export interface EtherCalcPage {
  readonly url: string;
  /** Ends the connections of the pages, as a network that is down for a moment. */
  drop(): void;
  stop(): Promise<void>;
}

/** Serves EtherCalc's page in front of the server at `target`. */
export async function serveEtherCalcPage(target: string): Promise<EtherCalcPage> {
  const scripts = clientScripts();
  const open = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const forward = (incoming: IncomingMessage) =>
    request({ hostname, port, path: incoming.url, method: incoming.method, headers: { ...incoming.headers, origin: target, host: `${hostname}:${port}` } });
  const server = createServer(async (incoming, response) => {
    const path = new URL(incoming.url ?? "/", target).pathname;
    const script = scripts.get(path);
    if (script !== undefined) {
      response.setHeader("content-type", "text/javascript").end(script);
      return;
    }
    const file = fileOf(path);
    if (file !== undefined && incoming.method === "GET" && existsSync(file)) {
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(await readFile(file));
      return;
    }
    const passed = forward(incoming);
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket) => {
    const passed = forward(incoming);
    socket.on("error", () => passed.destroy());
    passed.on("error", () => socket.destroy());
    passed.on("response", () => socket.destroy());
    passed.on("upgrade", (answer, upstream) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      upstream.on("error", () => socket.destroy());
      upstream.on("close", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    passed.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const drop = (): void => {
    for (const socket of open) {
      socket.destroy();
    }
  };
  const stop = async (): Promise<void> => {
    const stopped = new Promise((done) => server.close(done));
    drop();
    await stopped;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, drop, stop };
}

/** The file of a path; a path of one part is a room, for which EtherCalc serves its page. */
function fileOf(path: string): string | undefined {
  if (path === "/socket.io/socket.io.js") {
    return join(MODULES, "socket.io-client/socket.io.js");
  }
  if (/^\/(static|images|l10n)\//.test(path) && !path.includes("..")) {
    return join(MODULES, "ethercalc", path);
  }
  return /^\/[\w-]+(\.\d+)?$/.test(path) ? join(MODULES, "ethercalc/index.html") : undefined;
}
