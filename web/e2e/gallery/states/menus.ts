/** Menus and what opens from a button. */

import { item } from "../exhibit.ts";
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
    show: async (stage) => {
      await stage.menu("All sheets");
    },
  },
  {
    name: "menu-figures",
    show: async (stage) => {
      await stage.select("E2:H9");
      await stage.page.locator(".figures").waitFor();
      await stage.menu("Figures to show");
    },
  },
  {
    name: "menu-data-with-views",
    show: async (stage) => {
      await stage.ownRoom("Fruit,Crates\nApple,3\n");
      await stage.add((sheet) => [
        item(sheet, "filterView", ["A1:B2"], { name: "Only apples" }),
        item(sheet, "filterView", ["A1:B2"], { name: "كل شيء" }),
      ]);
      await stage.menu("Data");
    },
  },
  popover("popover-text-colour", "Text colour"),
  popover("popover-borders", "Borders"),
  popover("popover-styles", "Cell styles"),
  {
    name: "popover-styles-own",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.add(() => [
        { type: "setItem", sheet: null, item: 901, kind: "cellStyle", fields: { name: "Harvest", format: { bold: true, fillColor: "#e3f1ec", textColor: "#0f4437" } } },
        { type: "setItem", sheet: null, item: 902, kind: "cellStyle", fields: { name: "للمراجعة", format: { italic: true, textColor: "#8f1d1d" } } },
      ]);
      await stage.button("Cell styles").click();
      await stage.page.locator(".cell-styles-heading .button").click();
      await stage.page.locator(".cell-styles-own li").first().waitFor();
      await stage.page.getByText(stage.say("New style from this cell…"), { exact: true }).click();
    },
  },
  {
    name: "popover-share",
    show: async ({ page }) => {
      await page.locator(".header-share").click();
      await page.locator(".share").waitFor();
    },
  },
  {
    name: "popover-people-here",
    show: async (stage) => {
      await stage.meet({ name: "Ada", color: 0x9b2c6f, cells: "C5:D6" });
      await stage.meet({ name: "A person with quite a long name", color: 0xb3541e, cells: "G8" });
      await stage.page.locator(".people .face").nth(2).waitFor({ state: "attached" });
      await stage.page.locator(".people").click();
      await stage.page.locator(".person-line").nth(1).waitFor();
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
