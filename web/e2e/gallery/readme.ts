/**
 * The pictures of the README: a room with four people in it, a chart, and cells that take their looks from rules;
 * light and dark. `cargo xtask gallery --readme docs/images`.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@quadrille/protocol";
import type { Browser } from "@playwright/test";
import type { Server } from "../server.ts";
import { contextOf, furnish, type Persona, stageOf } from "./stage.ts";

const PEOPLE: readonly Persona[] = [
  { name: "Ada", color: 0x9b2c6f, cells: "C5:D6" },
  { name: "Grace", color: 0xb3541e, cells: "G8" },
  { name: "Lin", color: 0x2459c4, cells: "B14" },
];

/** What the gallery's sheet does not have. */
function additions(sheet: number): readonly Command[] {
  const series = (name: string, range: string, color: string) => ({ name, values: range, categories: "Sheet1!$B$2:$B$9", color });
  return [
    { type: "resize", sheet, dimension: "columns", first: 0, count: 1, size: 124 },
    { type: "typeText", sheet, cell: "B16", text: "1240" },
    {
      type: "setItem",
      sheet,
      item: 201,
      kind: "conditionalRule",
      anchors: ["H2:H9"],
      fields: {
        rule: "colorScale",
        priority: 2,
        stops: [
          { at: "minimum", color: "#fff2cc" },
          { at: "maximum", color: "#8fd3c1" },
        ],
      },
    },
    {
      type: "setItem",
      sheet,
      item: 202,
      kind: "conditionalRule",
      anchors: ["F2:F9"],
      fields: { rule: "iconSet", iconSet: "3Arrows", priority: 3 },
    },
    {
      type: "setItem",
      sheet,
      item: 203,
      kind: "chart",
      anchors: ["C13"],
      fields: {
        type: "combo",
        title: "Revenue and crates",
        series: [series("Sheet1!$H$1", "Sheet1!$H$2:$H$9", "#1f6f5c"), { ...series("Sheet1!$E$1", "Sheet1!$E$2:$E$9", "#e0b020"), type: "line", axis: "secondary" }],
        offsetX: 8,
        offsetY: 4,
        width: 640,
        height: 262,
      },
    },
  ];
}

export async function shootReadme(browser: Browser, server: Server, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  let isFurnished = false;
  for (const scheme of ["light", "dark"] as const) {
    const context = await contextOf(browser, { size: "laptop", scheme, language: "en" });
    const stage = await stageOf(context, server, "en");
    if (!isFurnished) {
      isFurnished = true;
      await furnish(stage);
      const sheet = Number(await stage.page.locator(".sheet-tab").first().getAttribute("data-sheet"));
      for (const given of additions(sheet)) {
        await stage.command(given);
      }
    }
    await stage.reset();
    for (const person of PEOPLE) {
      await stage.meet(person);
    }
    await stage.select("H4");
    await stage.page.locator(".face").nth(PEOPLE.length).waitFor();
    await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
    // The chart grows into its place.
    await stage.page.waitForTimeout(1_500);
    await stage.page.screenshot({ path: join(folder, `workbook-${scheme}.png`) });
    await stage.close();
    await context.close();
  }
}
