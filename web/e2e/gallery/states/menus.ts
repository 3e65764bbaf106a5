/** Menus and popovers. */

import { item } from "../example-sheets.ts";
import { menu, popover, type State } from "../state.ts";

export const menus: readonly State[] = [
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
    show: async (gallery) => {
      await gallery.select("B4:C5");
      const { x, y } = await gallery.point(2, 4);
      await gallery.page.mouse.click(x, y, { button: "right" });
      await gallery.page.getByRole("menu").waitFor();
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
  {
    name: "menu-row",
    show: async ({ page }) => {
      const grid = await page.locator("main.grid").boundingBox();
      await page.mouse.click((grid?.x ?? 0) + 20, (grid?.y ?? 0) + 24 + 33, { button: "right" });
      await page.getByRole("menu").waitFor();
    },
  },
  {
    name: "menu-sheets",
    show: async (gallery) => {
      await gallery.menu("All sheets");
    },
  },
  {
    name: "menu-figures",
    show: async (gallery) => {
      await gallery.select("E2:H9");
      await gallery.page.locator(".figures").waitFor();
      await gallery.menu("Customize status bar");
    },
  },
  {
    name: "menu-data-with-views",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Fruit,Crates\nApple,3\n");
      await gallery.add((sheet) => [
        item(sheet, "filterView", ["A1:B2"], { name: "Only apples" }),
        item(sheet, "filterView", ["A1:B2"], { name: "كل شيء" }),
      ]);
      await gallery.menu("Data");
    },
  },
  popover("popover-text-colour", "Text colour"),
  popover("popover-borders", "Borders"),
  popover("popover-styles", "Cell styles"),
  {
    name: "popover-styles-custom",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.add(() => [
        { type: "setItem", sheet: null, item: 901, kind: "cellStyle", fields: { name: "Harvest", format: { bold: true, fillColor: "#e3f1ec", textColor: "#0f4437" } } },
        { type: "setItem", sheet: null, item: 902, kind: "cellStyle", fields: { name: "للمراجعة", format: { italic: true, textColor: "#8f1d1d" } } },
      ]);
      await gallery.button("Cell styles").click();
      await gallery.page.locator(".cell-styles-heading .button").click();
      await gallery.page.locator(".cell-styles-custom li").first().waitFor();
      await gallery.page.getByText(gallery.translate("New style from this cell…"), { exact: true }).click();
    },
  },
  {
    name: "popover-people-here",
    show: async (gallery) => {
      await gallery.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await gallery.meet({ name: "A person with quite a long name", color: 0xb3541e, cells: "G8" });
      await gallery.page.locator(".people .avatar").nth(2).waitFor({ state: "attached" });
      await gallery.page.locator(".people").click();
      await gallery.page.locator(".person-row").nth(1).waitFor();
    },
  },
  {
    name: "popover-people",
    show: async (gallery) => {
      await gallery.page.locator(".people").click();
      await gallery.page.locator(".people-list").waitFor();
    },
  },
];
