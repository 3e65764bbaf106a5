/** Accessibility checks with axe-core. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

/** The violations on a page, with or without its ARIA grid. */
export async function violations(page: Page, { withGrid = true } = {}): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(axe);
  return page.evaluate(async (exclude) => {
    // Defined by the script evaluated above.
    const run = (window as unknown as { axe: { run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe;
    // Descriptions of the elements that pass take half of the time of a run.
    const found = await run.run({ exclude }, { resultTypes: ["violations"] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
  }, withGrid ? [] : ["[role=grid]"]);
}
