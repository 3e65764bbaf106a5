/** Builds the service worker beside the page, and tells it which files the page has. */

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "vite";

const SOURCE = "src/offline/service-worker.ts";
/** Beside what the build emits: files of `public/` that the page shows. */
const PUBLIC = ["/logo.svg", "/quadrille.webmanifest", "/scheme.js"];

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
      const built = await build({
        configFile: false,
        root,
        logLevel: "warn",
        publicDir: false,
        define: {
          QUADRILLE_FILES: JSON.stringify(files),
          QUADRILLE_BUILD: JSON.stringify(hash.digest("hex").slice(0, 16)),
        },
        build: {
          write: false,
          target: "es2022",
          rollupOptions: { input: join(root, SOURCE), output: { format: "es" } },
        },
      });
      const [output] = Array.isArray(built) ? built : [built];
      const chunk = output && "output" in output ? output.output[0] : undefined;
      if (!chunk) {
        throw new Error("the service worker was not built");
      }
      writeFileSync(join(directory, "service-worker.js"), chunk.code);
    },
  };
}
