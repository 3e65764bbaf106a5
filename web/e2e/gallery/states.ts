/** Every panel, dialog, menu, empty and error state of the page, and how it comes about. */

import type { Stage } from "./stage.ts";

export interface State {
  readonly name: string;
  readonly show: (stage: Stage) => Promise<void>;
  /** Brought about without the common room being opened first. */
  readonly isAlone?: boolean;
}

const menu = (name: string, button: string): State => ({
  name,
  show: async (stage) => {
    await stage.select("E3");
    await stage.menu(button);
  },
});

const dialog = (name: string, from: readonly [menu: string, item: string], cells = "E3"): State => ({
  name,
  show: async (stage) => {
    await stage.select(cells);
    await stage.dialog(...from);
    await stage.page.waitForTimeout(100);
  },
});

const popover = (name: string, button: string): State => ({
  name,
  show: async (stage) => {
    await stage.button(button).click();
    await stage.page.locator(".popover").waitFor();
  },
});

const start: readonly State[] = [
  {
    name: "start-empty",
    isAlone: true,
    show: async ({ page, server }) => {
      await page.addInitScript(() => localStorage.removeItem("quadrille.recent"));
      await page.goto(server.url);
      await page.locator(".start-empty").waitFor();
    },
  },
  {
    name: "start-recent",
    show: async ({ page, server }) => {
      await page.evaluate(() => {
        const minute = 60_000;
        const rooms = [
          ["harvest-2026", 2],
          ["budget-2027-k3m9pqrs7tuvwxyz2345abcd", 90],
          ["the-very-long-name-of-a-workbook-that-was-imported-once-k3m9pqrs7tuvwxyz2345abcd", 3 * 24 * 60],
          ["k3m9pqrs7tuvwxyz2345abcdef", 40 * 24 * 60],
        ] as const;
        const recent = rooms.map(([room, ago]) => ({ room, visitedAtMs: Date.now() - ago * minute }));
        localStorage.setItem("quadrille.recent", JSON.stringify(recent));
      });
      await page.goto(server.url);
      await page.locator(".start-recent li").first().waitFor();
    },
  },
];

const sheet: readonly State[] = [
  { name: "sheet", show: (stage) => stage.select("B3") },
  {
    name: "sheet-selection",
    show: async (stage) => {
      await stage.select("E2:H9");
      await stage.page.locator(".figures").waitFor();
    },
  },
  {
    name: "sheet-empty",
    show: async (stage) => {
      await stage.ownRoom("");
    },
  },
  {
    name: "formula-suggestions",
    show: async (stage) => {
      await stage.select("D13");
      await stage.type("=SU");
      await stage.page.locator(".formula-help li").first().waitFor();
    },
  },
  {
    name: "formula-arguments",
    show: async (stage) => {
      await stage.select("D13");
      await stage.type("=SUMIF(A2:A9,B3,");
      await stage.page.locator(".formula-help").waitFor();
    },
  },
  {
    name: "formula-error",
    show: async (stage) => {
      await stage.select("B15");
      await stage.page.locator(".error-help").waitFor();
    },
  },
  {
    name: "filter",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Alt+ArrowDown");
      await stage.page.locator(".filter-values li").first().waitFor();
    },
  },
  {
    name: "list",
    show: async (stage) => {
      await stage.select("G4");
      await stage.press("Alt+ArrowDown");
      await stage.page.locator(".cell-list button").first().waitFor();
    },
  },
  {
    name: "tab-renaming",
    show: async ({ page }) => {
      await page.locator(".sheet-tab").first().dblclick();
      await page.locator(".sheet-name").waitFor();
    },
  },
  {
    name: "file-over",
    show: async ({ page }) => {
      await page.evaluate(() => {
        const files = new DataTransfer();
        files.items.add(new File(["a"], "a.csv"));
        window.dispatchEvent(new DragEvent("dragover", { dataTransfer: files, cancelable: true }));
      });
      await page.locator(".drop-frame").waitFor();
    },
  },
];

const menus: readonly State[] = [
  menu("menu-file", "File"),
  menu("menu-edit", "Edit"),
  menu("menu-view", "View"),
  menu("menu-insert", "Insert"),
  menu("menu-format", "Format"),
  menu("menu-data", "Data"),
  {
    name: "menu-number-format",
    show: async ({ page }) => {
      await page.locator(".toolbar .tool.is-wide").first().click();
      await page.getByRole("menu").waitFor();
    },
  },
  menu("menu-vertical", "Vertical alignment"),
  menu("menu-functions", "Functions"),
  {
    name: "menu-cells",
    show: async (stage) => {
      await stage.select("B4:C5");
      const { x, y } = await stage.point(2, 4);
      await stage.page.mouse.click(x, y, { button: "right" });
      await stage.page.getByRole("menu").waitFor();
    },
  },
  {
    name: "menu-column",
    show: async ({ page }) => {
      const grid = await page.locator("main.grid").boundingBox();
      await page.mouse.click((grid?.x ?? 0) + 44 + 30, (grid?.y ?? 0) + 10, { button: "right" });
      await page.getByRole("menu").waitFor();
    },
  },
  {
    name: "menu-tab",
    show: async ({ page }) => {
      await page.locator(".sheet-tab").first().click({ button: "right" });
      await page.getByRole("menu").waitFor();
    },
  },
  popover("popover-text-colour", "Text colour"),
  popover("popover-borders", "Borders"),
  {
    name: "popover-share",
    show: async ({ page }) => {
      await page.locator(".header-share").click();
      await page.locator(".share").waitFor();
    },
  },
  {
    name: "popover-people",
    show: async (stage) => {
      await stage.page.locator(".people").click();
      await stage.page.locator(".people-list").waitFor();
    },
  },
];

const dialogs: readonly State[] = [
  dialog("dialog-keys", ["File", "Keyboard shortcuts"]),
  dialog("dialog-copy", ["File", "Make a copy…"]),
  dialog("dialog-language", ["File", "Language…"]),
  dialog("dialog-functions", ["Insert", "Function…"]),
  {
    name: "dialog-functions-none",
    show: async (stage) => {
      const dialog = await stage.dialog("Insert", "Function…");
      await dialog.getByRole("searchbox").fill("no such function");
      await dialog.locator(".functions-none").waitFor();
    },
  },
  dialog("dialog-sort", ["Data", "Sort…"]),
  dialog("dialog-validation", ["Data", "Data validation…"], "G2:G9"),
  dialog("dialog-names", ["Data", "Named ranges…"]),
  dialog("dialog-duplicates", ["Data", "Remove duplicates…"]),
  dialog("dialog-split", ["Data", "Split text to columns…"], "B2:B9"),
  dialog("dialog-sparkline", ["Insert", "Sparkline…"], "B2:D9"),
  dialog("dialog-link", ["Insert", "Link…"], "B3"),
  dialog("dialog-layout", ["Format", "Indent and rotation…"]),
  dialog("dialog-conditional", ["Format", "Conditional formatting…"], "E2:E9"),
  dialog("dialog-number-format", ["Format", "Custom number format…"], "H3"),
  dialog("dialog-styles", ["Format", "Cell styles…"]),
  dialog("dialog-table", ["Insert", "Table…"], "A13:B16"),
  dialog("dialog-protection", ["Data", "Protected cells…"], "H2:H11"),
  dialog("dialog-print", ["File", "Print…"]),
  {
    name: "dialog-paste-special",
    show: async (stage) => {
      await stage.select("D2:D4");
      await stage.press("Control+c");
      await stage.select("D14");
      await stage.dialog("Edit", "Paste special…");
    },
  },
  {
    name: "dialog-delete-sheet",
    show: async (stage) => {
      await stage.page.locator(".sheet-tab").last().click({ button: "right" });
      await stage.page.getByRole("menu").getByText(stage.say("Delete…"), { exact: true }).click();
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "dialog-import-failed",
    show: async ({ page }) => {
      const file = { name: "broken.xlsx", mimeType: "application/octet-stream", buffer: Buffer.from("PK not a workbook") };
      await page.locator(".header input[type=file]").setInputFiles(file);
      await page.locator(".import-failure").waitFor();
    },
  },
];

const panels: readonly State[] = [
  {
    name: "find",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Control+f");
      await stage.page.locator(".find input").first().fill("apple");
      await stage.page.waitForTimeout(400);
    },
  },
  {
    name: "find-replace-none",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Control+h");
      await stage.page.locator(".find input").first().fill("pineapple");
      await stage.page.waitForTimeout(400);
    },
  },
  {
    name: "panel-comments",
    show: async (stage) => {
      await stage.select("F6");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".threads li").first().waitFor();
    },
  },
  {
    name: "panel-note",
    show: async (stage) => {
      await stage.select("B7");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel .note").waitFor();
    },
  },
  {
    name: "panel-comments-none",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel").waitFor();
    },
  },
  {
    name: "panel-history",
    show: async (stage) => {
      await stage.choose("File", "History");
      await stage.page.locator(".panel li").first().waitFor();
    },
  },
  {
    name: "panel-history-moment",
    show: async (stage) => {
      await stage.choose("File", "History");
      await stage.page.locator(".panel li button").last().click();
      await stage.page.getByRole("dialog").locator("td").first().waitFor();
    },
  },
  {
    name: "panel-history-none",
    show: async (stage) => {
      await stage.ownRoom("");
      await stage.choose("File", "History");
      await stage.page.locator(".panel").waitFor();
      await stage.page.waitForTimeout(300);
    },
  },
  {
    name: "panel-chat-none",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      await stage.page.locator(".panel textarea").waitFor();
    },
  },
  {
    name: "panel-chat",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.choose("View", "Chat");
      const field = stage.page.locator(".panel textarea");
      for (const [index, text] of ["Who has been at the old wall?", "I was, see A1:B1. The quinces can wait for another week."].entries()) {
        await field.fill(text);
        await field.press("Enter");
        await stage.page.locator(".remark:not(.is-unsent)").nth(index).waitFor();
      }
    },
  },
  {
    name: "panel-chart",
    show: async (stage) => {
      await stage.ownRoom("Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\nQuince,66,71\n");
      await stage.button("Insert a chart").click();
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await stage.page.waitForTimeout(900);
    },
  },
  {
    name: "chart",
    show: async (stage) => {
      await stage.ownRoom("Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\nQuince,66,71\n");
      await stage.button("Insert a chart").click();
      await stage.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await stage.page.locator(".panel-header .tool").last().click();
      await stage.page.waitForTimeout(900);
    },
  },
  {
    name: "panel-image",
    show: async (stage) => {
      const room = await stage.ownRoom("Fruit,1,2,3,4,Course\nApple,6,-2,3,7,\"=SPARKLINE(B2:E2,{\"\"charttype\"\",\"\"column\"\"})\"\nPear,3,1,4,1,=SPARKLINE(B3:E3)\n");
      const picture = await stage.page.screenshot({ clip: { x: 0, y: 0, width: 320, height: 200 } });
      const base = `${stage.server.url}/api/v1/rooms/${room}`;
      const kept = await fetch(`${base}/images`, { method: "POST", body: new Uint8Array(picture) });
      const { image } = (await kept.json()) as { readonly image: string };
      const fields = { source: image, width: 240, height: 150, altText: "Apples" };
      await fetch(`${base}/sheets/Sheet1/items`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ kind: "image", anchors: ["B5"], fields }),
      });
      await stage.page.locator(".over-frame").focus();
      await stage.page.keyboard.press("Enter");
      await stage.page.locator(".panel").waitFor();
      await stage.page.waitForTimeout(600);
    },
  },
];

const troubles: readonly State[] = [
  {
    name: "opening",
    isAlone: true,
    show: async ({ page, server }) => {
      // The engine never arrives.
      await page.route(/\.wasm/, () => undefined);
      await page.goto(`${server.url}/not-open-yet`);
      await page.locator(".opening").waitFor();
    },
  },
  {
    name: "unreachable",
    isAlone: true,
    show: async ({ page, context, server }) => {
      // The page arrives, and then there is no network.
      await page.route(/\.wasm/, async (route) => {
        const response = await route.fetch();
        // The worker is there, and has all of its own script.
        const worker = page.workers()[0] ?? (await page.waitForEvent("worker"));
        await worker.evaluate(async () => {
          while (self.onmessage === null) {
            await new Promise((later) => setTimeout(later, 20));
          }
        });
        await context.setOffline(true);
        await route.fulfill({ response });
      });
      await page.goto(`${server.url}/nobody-there`);
      await page.locator(".opening h2").waitFor();
    },
  },
  {
    name: "stopped",
    isAlone: true,
    show: async ({ page, server }) => {
      await page.route(/\.wasm/, (route) => route.abort());
      await page.goto(`${server.url}/without-engine`);
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "deleted",
    show: async (stage) => {
      const room = await stage.ownRoom("1,2");
      await fetch(`${stage.server.url}/api/v1/rooms/${room}`, { method: "DELETE" });
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "offline",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.context.setOffline(true);
      await stage.select("A1");
      await stage.type("3");
      await stage.press("Enter");
      await stage.page.locator(".save-state .is-warning").waitFor();
    },
  },
  {
    name: "looking-only",
    show: async ({ page, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=view`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
    },
  },
];

/** By what they are, so that a test of all of them can be divided. */
export const GROUPS: Readonly<Record<string, readonly State[]>> = { start, sheet, menus, dialogs, panels, troubles };

export const STATES: readonly State[] = Object.values(GROUPS).flat();
