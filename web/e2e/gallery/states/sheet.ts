/** The sheet, what stands in its cells, and what opens beside them. */

import { showFromTheRight, showLocks, showLooks, showManySheets, showRules, showStructure } from "../exhibit.ts";
import type { Stage } from "../stage.ts";
import type { State } from "../state.ts";

/** The filter of a column of the orchard, asking for what its choice at this place asks for. */
const filterBy = (name: string, cell: string, way: number, then: (stage: Stage) => Promise<void> = async () => undefined): State => ({
  name,
  show: async (stage) => {
    await stage.select(cell);
    await stage.press("Alt+ArrowDown");
    await stage.page.locator(".filter-values li").first().waitFor();
    await stage.page.locator(".filter select").first().selectOption({ index: way });
    await then(stage);
  },
});

export const sheet: readonly State[] = [
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
    name: "sheet-looks",
    show: async (stage) => {
      await showLooks(stage);
      await stage.select("B4");
    },
  },
  {
    name: "sheet-from-the-right",
    show: async (stage) => {
      await showFromTheRight(stage);
      await stage.select("B3:C4");
    },
  },
  {
    name: "sheet-groups",
    show: async (stage) => {
      await showStructure(stage);
      await stage.page.locator(".outline-button").first().waitFor();
    },
  },
  {
    name: "sheet-zoomed",
    show: async (stage) => {
      await stage.page.locator(".zoom-steps").selectOption({ index: 6 });
      await stage.select("D4:F7");
    },
  },
  {
    name: "sheet-formulas",
    show: async (stage) => {
      await stage.select("H2");
      await stage.press("Control+`");
      await stage.page.locator('[data-cell="H2"]').getByText("=E2*F2").waitFor({ state: "attached" });
    },
  },
  { name: "sheet-many-tabs", show: showManySheets },
  {
    name: "sheet-people",
    show: async (stage) => {
      await stage.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await stage.meet({ name: "村上", color: 0xb3541e, cells: "G8" });
      await stage.page.locator(".people .face").nth(2).waitFor({ state: "attached" });
      await stage.select("E3");
    },
  },
  {
    name: "following",
    show: async (stage) => {
      await stage.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await stage.page.locator(".people .face").nth(1).waitFor({ state: "attached" });
      await stage.page.locator(".people").click();
      await stage.page.locator(".person-line .tool").click();
      await stage.press("Escape");
      await stage.page.locator(".follow-bar").waitFor();
    },
  },
  {
    name: "editing-text",
    show: async (stage) => {
      await stage.select("B4");
      await stage.type("A rather long text that is still being typed into its cell");
      await stage.page.locator(".cell-field.is-editing").waitFor();
    },
  },
  {
    name: "editing-references",
    show: async (stage) => {
      await stage.select("D13");
      await stage.type("=(E2:E4+F2)*IF(H5>10,D3,\"none\")");
      await stage.page.locator(".formula-ink").first().waitFor();
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
    name: "filter-nothing-found",
    show: async (stage) => {
      await stage.select("A1");
      await stage.press("Alt+ArrowDown");
      await stage.page.locator(".filter-values li").first().waitFor();
      await stage.page.locator(".filter input[type=search]").fill("nowhere");
    },
  },
  filterBy("filter-colours", "A1", 1, (stage) => stage.page.locator(".filter-color").first().waitFor()),
  filterBy("filter-conditions", "F1", 8, async (stage) => {
    await stage.page.locator(".filter .button.is-quiet").click();
  }),
  filterBy("filter-highest", "F1", 14),
  {
    name: "filter-view",
    show: async (stage) => {
      await stage.select("A1");
      await stage.choose("Data", "New filter view");
      await stage.page.locator(".view-bar").waitFor();
    },
  },
  {
    name: "cell-prompt",
    show: async (stage) => {
      await showRules(stage);
      await stage.select("A3");
      await stage.page.locator(".cell-note").waitFor();
    },
  },
  {
    name: "circles-and-toast",
    show: async (stage) => {
      await showRules(stage);
      await stage.choose("Data", "Circle invalid data");
      await stage.page.locator(".toast").waitFor();
    },
  },
  {
    name: "locked-and-refused",
    show: async (stage) => {
      await showLocks(stage);
      await stage.select("A2");
      await stage.type("x");
      await stage.page.locator(".toast.is-error").waitFor();
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
  {
    name: "calculating",
    show: async (stage) => {
      // Each cell goes through thousands of others: seconds for all of them.
      const csv = Array.from({ length: 2_000 }, (_, row) => `${row + 1},"=SUMPRODUCT(--(MOD(A$1:A$2000,ROW()+1)=A${row + 1}))"`).join("\n");
      await stage.ownRoom(csv);
      await stage.select("A1:A9");
      await stage.page.locator(".status-busy").waitFor();
    },
  },
];
