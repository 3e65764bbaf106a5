/** Builds `/embed.js`, the script for pages of others, beside the page. Its name never changes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "vite";

const SOURCE = "../embed/src/element.ts";

export function embedding(): Plugin {
  let root = "";
  let directory = "";
  return {
    name: "quadrille-embedding",
    apply: "build",
    configResolved(config) {
      root = config.root;
      directory = join(config.root, config.build.outDir);
    },
    async writeBundle() {
      const built = await build({
        configFile: false,
        root,
        logLevel: "warn",
        publicDir: false,
        build: {
          write: false,
          target: "es2022",
          // A classic script knows its own address, and with it where the workbooks are.
          rollupOptions: { input: join(root, SOURCE), output: { format: "iife", name: "Quadrille" } },
        },
      });
      const [output] = Array.isArray(built) ? built : [built];
      const chunk = output && "output" in output ? output.output[0] : undefined;
      if (!chunk) {
        throw new Error("embed.js was not built");
      }
      writeFileSync(join(directory, "embed.js"), chunk.code);
    },
  };
}
