/**
 * Writes a `.br` and a `.gz` file beside every compressible file of the build; the server sends
 * them as they are.
 */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(html|js|css|svg|wasm|json|webmanifest|txt)$/;
/**
 * Smaller files are not compressed: the response headers would cost more than compression saves.
 */
const BYTES_MIN = 512;

/** The plugin that compresses the files of a production build. */
export function compressed(): Plugin {
  let directory = "";
  return {
    name: "quadrille-compressed",
    // Production only: the highest compression level takes seconds.
    apply: (_config, { command, mode }) => command === "build" && mode === "production",
    configResolved(config) {
      directory = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile() && COMPRESSIBLE.test(path)) {
          await compress(path);
        }
      }
    },
  };
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < BYTES_MIN) {
    return;
  }
  const brotli = await promisify(brotliCompress)(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });
  await writeFile(`${path}.br`, brotli);
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
