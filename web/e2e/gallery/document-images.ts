/**
 * Screenshots of the documents, `cargo xtask gallery --readme docs/images`: for the README a workbook
 * with four users, a chart and conditional formats, in both themes; for the user's guide states of
 * the gallery.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "@quadrille/protocol";
import type { Browser } from "@playwright/test";
import type { Server } from "../server.ts";
import { STATES } from "./states.ts";
import { contextOf, createWorkbook, type Visitor, openGalleryPage } from "./gallery-page.ts";

const PEOPLE: readonly Visitor[] = [
  { name: "Ada", color: 0x9b2c6f, cells: "C5:D6" },
  { name: "Grace", color: 0xb3541e, cells: "G8" },
  { name: "Lin", color: 0x2459c4, cells: "B14" },
];

/** Additions to the example workbook. */
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

export async function captureReadme(browser: Browser, server: Server, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  let hasWorkbook = false;
  for (const scheme of ["light", "dark"] as const) {
    const context = await contextOf(browser, { size: "laptop", scheme, language: "en" });
    const gallery = await openGalleryPage(context, server, "en");
    if (!hasWorkbook) {
      hasWorkbook = true;
      await createWorkbook(gallery);
      const sheet = Number(await gallery.page.locator(".sheet-tab").first().getAttribute("data-sheet"));
      for (const given of additions(sheet)) {
        await gallery.command(given);
      }
    }
    await gallery.reset();
    for (const person of PEOPLE) {
      await gallery.meet(person);
    }
    await gallery.select("H4");
    await gallery.page.locator(".avatar:not(.is-count)").nth(PEOPLE.length).waitFor();
    await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
    // Waits for the animation of the chart.
    await gallery.page.waitForTimeout(1_500);
    await gallery.page.screenshot({ path: join(folder, `workbook-${scheme}.png`) });
    await gallery.close();
    await context.close();
  }
}

/** The states of the gallery that the pages of the user's guide show, in `guide/NAME.png`. */
const GUIDE = [
  "start-recent",
  "formula-arguments",
  "formula-error",
  "filter",
  "panel-chart",
  "share-owner",
  "sheet-people",
  "panel-comments",
  "panel-history-revision",
  "import-warnings",
  "dialog-print-custom",
  "offline",
  "sign-in",
  "account",
  "account-token-new",
  "admin-accounts",
] as const;

/** Captures the images of the user's guide: each state on a laptop, light, in English. */
export async function captureGuide(browser: Browser, server: Server, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const context = await contextOf(browser, { size: "laptop", scheme: "light", language: "en" });
  const setup = await openGalleryPage(context, server, "en");
  await createWorkbook(setup);
  await setup.close();
  for (const name of GUIDE) {
    const state = STATES.find((candidate) => candidate.name === name);
    if (!state) {
      throw new Error(`no state of the gallery has the name ${name}`);
    }
    const gallery = await openGalleryPage(context, server, "en");
    if (!state.skipsReset) {
      await gallery.reset();
    }
    await state.show(gallery);
    await gallery.page.waitForTimeout(500);
    await gallery.page.screenshot({ path: join(folder, `${name}.png`) });
    await gallery.close();
  }
  await context.close();
}
