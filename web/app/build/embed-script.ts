/**
 * Builds `/embed.js`, the script that other websites load to embed a workbook, and `/form.js`,
 * `/published.js`, `/published-charts.js` and `/published-map.js`, the scripts of the pages of forms and of
 * published pages.
 * Their names never change.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { buildScript } from "./script.ts";

const SOURCE = "../embed/src/element.ts";
const FORM_SOURCE = "../form/src/form.ts";
const PUBLISHED_SOURCE = "../published/src/published.ts";
const CHARTS_SOURCE = "../published/src/charts.ts";
const MAP_SOURCE = "src/charts/map-data.ts";

/** The plugin that writes these scripts into the output directory. */
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
      const charts = await buildScript({ root, source: CHARTS_SOURCE, output: { format: "es" } });
      writeFileSync(join(directory, "published-charts.js"), charts);
      const map = await buildScript({ root, source: MAP_SOURCE, output: { format: "es" } });
      writeFileSync(join(directory, "published-map.js"), map);
    },
  };
}
