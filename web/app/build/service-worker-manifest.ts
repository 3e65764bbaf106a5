/** Builds the service worker with the list of the files that it caches. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { buildScript } from "./script.ts";

const SOURCE = "src/offline/service-worker.ts";
/** Files of `public/` that the service worker caches, in addition to the files of the build. */
const PUBLIC = ["/logo.svg", "/quadrille.webmanifest", "/scheme.js"];

/** The plugin that writes `service-worker.js` with the file list and a hash of the build. */
export function offline(): Plugin {
  let root = "";
  let directory = "";
  return {
    name: "quadrille-offline",
    apply: "build",
    configResolved(config) {
      root = config.root;
      directory = join(config.root, config.build.outDir);
    },
    async writeBundle(_options, bundle) {
      const emitted = Object.keys(bundle).filter((name) => /\.(html|js|css|wasm|svg)$/.test(name));
      const files = [...new Set([...emitted.map((name) => `/${name}`), ...PUBLIC])].sort();
      const hash = createHash("sha256");
      for (const file of files) {
        hash.update(file).update(readFileSync(join(directory, file)));
      }
      const code = await buildScript({
        root,
        source: SOURCE,
        output: { format: "es" },
        define: {
          QUADRILLE_FILES: JSON.stringify(files),
          QUADRILLE_BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
        },
      });
      writeFileSync(join(directory, "service-worker.js"), code);
    },
  };
}
