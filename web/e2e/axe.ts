/** Accessibility checks with axe-core. */

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

export interface Scope {
  /** Whether the ARIA grid is checked. Its cells are alike, so that the first rows stand for the others. */
  readonly withGrid?: boolean;
  /** If elements match this selector, only they are checked. They must not refer to cells of the grid. */
  readonly within?: string;
}

/** The violations on a page, or in a part of it. */
export async function violations(page: Page, { withGrid = true, within = "" }: Scope = {}): Promise<string[]> {
  // The process of the page in Firefox ESR 153 ends with a segmentation fault when axe runs. Chromium has the same markup.
  if (page.context().browser()?.browserType().name() === "firefox") {
    return [];
  }
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  }
  const exclude = [withGrid ? "[role=grid] [role=row]:nth-child(n + 12)" : "[role=grid]"];
  return page.evaluate(
    async ({ exclude, within }) => {
      // Defined by the script evaluated above.
      const run = (window as unknown as { axe: { run(context: object, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe;
      const part = within !== "" && document.querySelector(within) ? { include: [within] } : {};
      // axe reads the whole page first, and the cells are most of it.
      const grid = "include" in part ? document.querySelector("[role=grid]") : null;
      const place = document.createComment("");
      grid?.replaceWith(place);
      // Descriptions of the elements that pass take half of the time of a run.
      const found = await run.run({ ...part, exclude }, { resultTypes: ["violations"] });
      if (grid) {
        place.replaceWith(grid);
      }
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
    },
    { exclude, within },
  );
}
