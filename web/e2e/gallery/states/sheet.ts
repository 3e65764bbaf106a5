/** The grid, cell contents and overlays of cells. */

import { item, openRightToLeft, openProtection, openFormats, openManySheets, openChips, openRatings, openValidations, openStructure } from "../example-sheets.ts";
import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

const DATES = ["Day,Amount", "2025-12-30,5", "2026-01-02,20", "2026-01-31,31", "2026-11-28,4", "later,12"].join("\n");

/** The filter menu of a column of a workbook of its own. */
const openFilterOf = async (gallery: GalleryPage, cell: string): Promise<void> => {
  await gallery.ownRoom(DATES);
  await gallery.add((sheet) => [
    item(sheet, "autoFilter", ["A1:B6"], {}),
    item(sheet, "conditionalRule", ["B2:B6"], { rule: "iconSet", iconSet: "3Arrows" }),
  ]);
  await gallery.select(cell);
  await gallery.press("Alt+ArrowDown");
  await gallery.page.locator(".filter-values li").first().waitFor();
};

/** The filter menu of a column with a chosen kind of condition. */
const filterBy = (name: string, cell: string, way: number, then: (gallery: GalleryPage) => Promise<void> = async () => undefined): State => ({
  name,
  show: async (gallery) => {
    await gallery.select(cell);
    await gallery.press("Alt+ArrowDown");
    await gallery.page.locator(".filter-values li").first().waitFor();
    await gallery.page.locator(".filter select").first().selectOption({ index: way });
    await then(gallery);
  },
});

export const sheet: readonly State[] = [
  { name: "sheet", show: (gallery) => gallery.select("B3") },
  {
    name: "sheet-selection",
    show: async (gallery) => {
      await gallery.select("E2:H9");
      await gallery.page.locator(".figures").waitFor();
    },
  },
  {
    name: "sheet-empty",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("");
    },
  },
  {
    name: "sheet-formats",
    show: async (gallery) => {
      await openFormats(gallery);
      await gallery.select("B4");
    },
  },
  {
    name: "sheet-right-to-left",
    show: async (gallery) => {
      await openRightToLeft(gallery);
      await gallery.select("B3:C4");
    },
  },
  {
    name: "sheet-trace-arrows",
    show: async (gallery) => {
      await gallery.ownRoom("Price,Pieces,Sum\n2,3,=A2*B2\n4,5,=A3*B3\n,,=SUM(C2:C3)\n,,=1/0\n,,=C5+C4");
      for (const cell of ["C6", "C6", "A2"]) {
        await gallery.select(cell);
        await gallery.choose("Data", cell === "A2" ? "Trace dependents" : "Trace precedents");
        await gallery.page.locator(".trace-arrows line").first().waitFor({ state: "attached" });
      }
    },
    skipsReset: true,
  },
  {
    name: "sheet-groups",
    show: async (gallery) => {
      await openStructure(gallery);
      await gallery.page.locator(".outline-button").first().waitFor();
    },
  },
  {
    name: "sheet-form-controls",
    show: async (gallery) => {
      const rows = [
        ["Name", '=TEXTBOX("Ada Lovelace")'],
        ["Fruit", '=SELECT("Pear","Apple,Pear,Plum")'],
        ["Box", '=CHECKBOX("TRUE")'],
        ["Large", '=RADIOBUTTON("TRUE","size")'],
        ["Small", '=RADIOBUTTON("FALSE","size")'],
        ["", '=SUBMIT("Send")'],
      ];
      await gallery.ownRoom(rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n"));
      await gallery.select("A8");
    },
  },
  {
    name: "sheet-app-view",
    show: async (gallery) => {
      const rows = [
        ['=PANEL("1",B2:C5,B7:C8)', ""],
        ["", "Name", '=TEXTBOX("Ada Lovelace")'],
        ["", "Fruit", '=SELECT("Pear","Apple,Pear,Plum")'],
        ["", "Newsletter", '=CHECKBOX("TRUE")'],
        ["", '=IMAGEBUTTON("/icon-192.png")', '=SUBMIT("Send")'],
        [],
        ["", "Thank you"],
      ];
      const room = await gallery.ownRoom(rows.map((row) => row.map((text) => `"${text.replaceAll('"', '""')}"`).join(",")).join("\n"));
      await gallery.page.goto(`${gallery.server.url}/${room}/app`);
      await gallery.page.locator("[role=gridcell]").filter({ hasText: "Ada Lovelace" }).waitFor();
    },
  },
  {
    name: "sheet-zoomed",
    show: async (gallery) => {
      await gallery.page.locator(".zoom-steps").selectOption({ index: 6 });
      await gallery.select("D4:F7");
    },
  },
  {
    name: "sheet-formulas",
    show: async (gallery) => {
      await gallery.select("H2");
      await gallery.press("Control+`");
      await gallery.page.locator('[data-cell="H2"]').getByText("=E2*F2").waitFor({ state: "attached" });
    },
  },
  { name: "sheet-many-tabs", show: openManySheets },
  {
    name: "sheet-people",
    show: async (gallery) => {
      await gallery.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await gallery.meet({ name: "村上", color: 0xb3541e, cells: "G8" });
      await gallery.page.locator(".people .avatar").nth(2).waitFor({ state: "attached" });
      await gallery.select("E3");
    },
  },
  {
    name: "following",
    show: async (gallery) => {
      await gallery.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await gallery.page.locator(".people .avatar").nth(1).waitFor({ state: "attached" });
      await gallery.page.locator(".people").click();
      await gallery.page.locator(".person-row .tool").click();
      await gallery.press("Escape");
      await gallery.page.locator(".follow-bar").waitFor();
    },
  },
  {
    name: "editing-text",
    show: async (gallery) => {
      await gallery.select("B4");
      await gallery.type("A rather long text that is still being typed into its cell");
      await gallery.page.locator(".cell-field.is-editing").waitFor();
    },
  },
  {
    name: "editing-references",
    show: async (gallery) => {
      await gallery.select("D13");
      await gallery.type("=(E2:E4+F2)*IF(H5>10,D3,\"none\")");
      await gallery.page.locator(".formula-highlight").first().waitFor();
    },
  },
  {
    name: "formula-suggestions",
    show: async (gallery) => {
      await gallery.select("D13");
      await gallery.type("=SU");
      await gallery.page.locator(".formula-help li").first().waitFor();
    },
  },
  {
    name: "formula-arguments",
    show: async (gallery) => {
      await gallery.select("D13");
      await gallery.type("=SUMIF(A2:A9,B3,");
      await gallery.page.locator(".formula-help").waitFor();
    },
  },
  {
    name: "formula-error",
    show: async (gallery) => {
      await gallery.select("B15");
      await gallery.page.locator(".error-help").waitFor();
    },
  },
  {
    name: "filter",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".filter-values li").first().waitFor();
    },
  },
  {
    name: "filter-nothing-found",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".filter-values li").first().waitFor();
      await gallery.page.locator(".filter input[type=search]").fill("nowhere");
    },
  },
  filterBy("filter-colours", "A1", 1, (gallery) => gallery.page.locator(".filter-color").first().waitFor()),
  {
    name: "filter-dates",
    skipsReset: true,
    show: async (gallery) => {
      await openFilterOf(gallery, "A1");
      await gallery.page.locator(".filter-expand").nth(1).click();
      await gallery.page.locator(".filter-parts .filter-expand").first().click();
      await gallery.page.locator(".filter-parts .is-day input").first().click();
    },
  },
  {
    name: "filter-icons",
    skipsReset: true,
    show: async (gallery) => {
      await openFilterOf(gallery, "B1");
      await gallery.page.locator(".filter select").first().selectOption({ index: 1 });
      await gallery.page.locator(".filter-color canvas").first().waitFor();
    },
  },
  filterBy("filter-conditions", "F1", 8, async (gallery) => {
    await gallery.page.locator(".filter .button.is-quiet").click();
  }),
  filterBy("filter-highest", "F1", 14),
  {
    name: "filter-view",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.choose("Data", "New filter view");
      await gallery.page.locator(".view-bar").waitFor();
    },
  },
  {
    name: "filter-view-sorted",
    show: async (gallery) => {
      await gallery.select("A1");
      await gallery.choose("Data", "New filter view");
      await gallery.page.locator(".view-bar").waitFor();
      await gallery.select("F1");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".filter .menu-item").nth(1).click();
      await gallery.page.locator(".view-sort").waitFor();
    },
  },
  {
    name: "cell-prompt",
    show: async (gallery) => {
      await openValidations(gallery);
      await gallery.select("A3");
      await gallery.page.locator(".cell-note").waitFor();
    },
  },
  {
    name: "chips",
    show: async (gallery) => {
      await openChips(gallery);
      await gallery.select("A8");
    },
  },
  {
    name: "chips-list",
    show: async (gallery) => {
      await openChips(gallery);
      await gallery.select("B3");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".cell-choices [role=option]").nth(3).waitFor();
    },
  },
  {
    name: "ratings",
    show: async (gallery) => {
      await openRatings(gallery);
      await gallery.select("A8");
    },
  },
  {
    name: "ratings-right-to-left",
    show: async (gallery) => {
      await openRatings(gallery, true);
      await gallery.select("A8");
    },
  },
  {
    name: "ratings-stars",
    show: async (gallery) => {
      await openRatings(gallery);
      await gallery.select("B3");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".rating-star").nth(4).waitFor();
    },
  },
  {
    name: "people-list",
    show: async (gallery) => {
      await openRatings(gallery);
      await gallery.select("C2");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".cell-choices [role=option]").nth(2).waitFor();
    },
  },
  {
    name: "circles-and-toast",
    show: async (gallery) => {
      await openValidations(gallery);
      await gallery.choose("Data", "Circle invalid data");
      await gallery.page.locator(".toast").waitFor();
    },
  },
  {
    name: "protected-and-rejected",
    show: async (gallery) => {
      await openProtection(gallery);
      await gallery.select("A2");
      await gallery.type("x");
      await gallery.page.locator(".toast.is-error").waitFor();
    },
  },
  {
    name: "list",
    show: async (gallery) => {
      await gallery.select("G4");
      await gallery.press("Alt+ArrowDown");
      await gallery.page.locator(".cell-choices [role=option]").first().waitFor();
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
    name: "file-drag-over",
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
    show: async (gallery) => {
      // Each cell depends on thousands of others: the calculation takes seconds. It begins after the room is open, so
      // that it has not ended before the state is looked at.
      const formula = '"=SUMPRODUCT(--(MOD(A$1:A$2000,ROW()+1)=A1))"';
      await gallery.ownRoom(Array.from({ length: 2_000 }, (_, row) => (row === 0 ? `1,${formula}` : `${row + 1}`)).join("\n"));
      await gallery.select("B1:B2000");
      await gallery.press("Control+d");
      await gallery.page.locator(".status-busy").waitFor();
    },
  },
];
