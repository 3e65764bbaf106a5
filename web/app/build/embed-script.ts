/**
 * Builds `/embed.js`, the script that other websites load to embed a workbook, and `/form.js` and
 * `/published.js`, the scripts of the pages of forms and of published pages. Their names never change.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { buildScript } from "./script.ts";

const SOURCE = "../embed/src/element.ts";
const FORM_SOURCE = "../form/src/form.ts";
const PUBLISHED_SOURCE = "../published/src/published.ts";

/** The plugin that writes `embed.js`, `form.js` and `published.js` into the output directory. */
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
      // A classic script can read its own address, which gives the address of the server.
      const code = await buildScript({ root, source: SOURCE, output: { format: "iife", name: "Quadrille" } });
      writeFileSync(join(directory, "embed.js"), code);
      const form = await buildScript({ root, source: FORM_SOURCE, output: { format: "iife", name: "QuadrilleForm" } });
      writeFileSync(join(directory, "form.js"), form);
      const published = await buildScript({ root, source: PUBLISHED_SOURCE, output: { format: "iife", name: "QuadrillePublished" } });
      writeFileSync(join(directory, "published.js"), published);
    },
  };
}
