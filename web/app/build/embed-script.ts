/** Builds `/embed.js`, the script for pages of others, beside the page. Its name never changes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { buildScript } from "./script.ts";

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
      // A classic script knows its own address, and with it where the workbooks are.
      const code = await buildScript({ root, source: SOURCE, output: { format: "iife", name: "Quadrille" } });
      writeFileSync(join(directory, "embed.js"), code);
    },
  };
}
