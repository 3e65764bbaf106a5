import { violations } from "./axe.ts";
import { command, keepWorker } from "./commands.ts";
import { skipOutsideChromium } from "./skip.ts";
import { expect, test } from "./user.ts";
import { doubleTap } from "./touch-input.ts";

for (const scheme of ["light", "dark"] as const) {
  test(`no axe violations in the ${scheme} theme`, async ({ world }) => {
    const ann = await world.enter();
    await ann.page.emulateMedia({ colorScheme: scheme });
    await ann.type("A1", [["1"], ["=A1/0"]]);
    expect(await violations(ann.page)).toEqual([]);
    await ann.press("Control+/");
    await expect(ann.page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    expect(await violations(ann.page)).toEqual([]);
    await ann.page.goto(world.server.url);
    expect(await violations(ann.page)).toEqual([]);
  });
}

test("the ARIA grid exposes the active cell and the size of the sheet", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["42"]]);
  await ann.select("B2");
  const grid = ann.page.getByRole("grid", { name: "Sheet1" });
  await expect(grid).toHaveAttribute("aria-rowcount", "1048577");
  await expect(ann.cell("B2")).toHaveAttribute("aria-selected", "true");
  await expect(ann.cell("B2")).toHaveAttribute("aria-colindex", "3");
  const field = ann.page.getByRole("textbox", { name: "B2 42" });
  await expect(field).toBeFocused();
  const active = await field.getAttribute("aria-activedescendant");
  await expect(ann.page.locator(`[id="${active}"]`)).toHaveText("42");
});

test("touch pans the sheet, a tap selects and a double tap edits", async ({ world }) => {
  skipOutsideChromium("WebDriver touches neither Firefox nor WebKitGTK.");
  const context = await world.browser.newContext({
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/touch`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const grid = await page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  await page.touchscreen.tap(grid.x + 44 + 48, grid.y + 24 + 33);
  const name = page.getByRole("textbox", { name: /^Name box/ });
  await expect(name).toHaveValue("A2");
  await doubleTap(page, grid.x + 44 + 48, grid.y + 24 + 33);
  await expect(page.locator(".cell-field.is-editing")).toBeFocused();
  await page.keyboard.type("tapped");
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-cell="A2"]')).toHaveText("tapped");
  await context.close();
});

test("taps open a filter, toggle a checkbox and choose menu items", async ({ world }) => {
  skipOutsideChromium("WebDriver touches neither Firefox nor WebKitGTK.");
  const context = await world.browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await keepWorker(page);
  await page.goto(`${world.server.url}/fingers`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await command(page, { type: "typeTexts", sheet: 1, at: "A1", texts: [["fruit", "paid"], ["apple", "FALSE"], ["pear", "FALSE"]] });
  await command(page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["B2:B3"], fields: { rule: "checkbox" } });
  await expect(page.locator('[data-cell="A3"]')).toHaveText("pear");
  const grid = await page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const tap = (column: number, row: number, x: number): Promise<void> => page.touchscreen.tap(grid.x + 44 + column * 96 + x, grid.y + 24 + row * 22 + 11);
  await tap(1, 1, 48);
  await expect(page.locator('[data-cell="B2"]')).toHaveText("checked");
  await tap(0, 0, 30);
  await page.getByRole("button", { name: "Data", exact: true }).tap();
  // The formula bar is below this item: the tap must not reach it.
  await page.getByRole("menuitem", { name: "Filter", exact: true }).tap();
  await expect(page.locator(".cell-field")).toBeFocused();
  const names = page.getByRole("dialog", { name: "Filter" }).getByRole("checkbox");
  await expect(async () => {
    await tap(0, 0, 86);
    await expect(names).toHaveCount(2, { timeout: 2_000 });
  }).toPass();
  await context.close();
});

test("a scrollable dialog shows a shadow until it is scrolled to the end", async ({ world }) => {
  skipOutsideChromium("WebDriver touches neither Firefox nor WebKitGTK.");
  const context = await world.browser.newContext({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/shades`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await page.getByRole("button", { name: "Data", exact: true }).tap();
  await page.getByRole("menuitem", { name: "Data validation…" }).tap();
  const dialog = page.getByRole("dialog", { name: "Data validation" });
  const shade = () => dialog.locator(".modal-buttons").evaluate((buttons) => Number(getComputedStyle(buttons, "::before").opacity));
  // The rule with the fewest fields: all of it is there.
  await dialog.getByRole("combobox", { name: "Allow" }).selectOption("Checkbox");
  await expect.poll(shade).toBe(0);
  await dialog.locator("summary").tap();
  await dialog.locator(".modal-body").evaluate((body) => body.scrollTo(0, 0));
  await expect.poll(shade).toBe(1);
  await dialog.locator(".modal-body").evaluate((body) => body.scrollTo(0, body.scrollHeight));
  await expect.poll(shade).toBe(0);
  await context.close();
});

test("a wrapped formula keeps its equals sign on the first line", async ({ world }) => {
  const context = await world.browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/narrow`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await page.keyboard.type('=(E2:E4+F2)*IF(H5>10,D3,"none")&(G2:G4+F2)*IF(H6>10,D4,"none")');
  for (const ink of [".cell-highlight", ".bar-highlight"]) {
    const tops = await page.locator(ink).evaluate((element) => {
      const [sign, bracket] = [...element.children].map((child) => child.getBoundingClientRect());
      return { sign: sign?.top, bracket: bracket?.top, lines: Math.round(element.getBoundingClientRect().height / (sign?.height ?? 1)) };
    });
    expect(tops.sign).toBe(tops.bracket);
    expect(tops.lines, "it takes more than a line").toBeGreaterThan(1);
  }
  await context.close();
});

test("the border of an unchecked checkbox has sufficient contrast", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("Insert$", "Table…");
  const box = ann.page.getByRole("checkbox", { name: "Total row" });
  await expect(box).not.toBeChecked();
  for (const colorScheme of ["light", "dark"] as const) {
    await ann.page.emulateMedia({ colorScheme });
    await expect(ann.page.locator("html")).toHaveAttribute("data-scheme", colorScheme);
    const contrast = await box.evaluate((element) => {
      const lightness = (color: string): number => {
        const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const dialog = element.closest("[role=dialog]");
      const both = [getComputedStyle(element).borderTopColor, dialog ? getComputedStyle(dialog).backgroundColor : ""].map(lightness);
      return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    });
    expect(contrast, colorScheme).toBeGreaterThanOrEqual(3);
  }
});

test("results and nearby changes of others are announced at a limited rate", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["2"]]);
  await ann.select("B1");
  await ann.page.keyboard.type("=A1*21");
  await ann.press("Enter");
  const log = ann.page.getByRole("log", { name: "Cell changes" });
  await expect(log).toHaveText("B1 42");
  await ann.page.waitForTimeout(1_600);
  await bob.type("A3", [["from bob"]]);
  await expect(log).toHaveText("A3 is now from bob");
  // In one command: changes within five seconds are announced together.
  await command(bob.page, { type: "typeTexts", sheet: 1, at: "A4", texts: [["more"], ["and more"]] });
  await expect(log).toHaveText("2 cells changed nearby");
});

test("the active cell is named by its contents and its reference", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Pens", "2.5"]]);
  await ann.select("A1");
  await expect(ann.cell("A1")).toHaveAccessibleName("Pens A1");
  await expect(ann.cell("B1")).toHaveAccessibleName("2.5");
  await ann.press("ArrowRight");
  await expect(ann.cell("B1")).toHaveAccessibleName("2.5 B1");
  await expect(ann.cell("A1")).toHaveAccessibleName("Pens");
  await ann.press("ArrowDown");
  await expect(ann.cell("B2")).toHaveAccessibleName("B2");
});

test("what keys change is announced where only the picture shows it", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Pens"]]);
  await ann.select("A1");
  const log = ann.page.getByRole("log", { name: "Cell changes" });
  await ann.press("Control+b");
  await expect(log).toHaveText("Bold on");
  await ann.press("Control+z");
  await expect(log).toHaveText("Undone");
  await expect(ann.page.getByRole("button", { name: "Redo" })).toBeEnabled();
  await ann.press("Control+y");
  await expect(log).toHaveText("Redone");
  await ann.press("Control+b");
  await expect(log).toHaveText("Bold off");
  await ann.press("Shift+ArrowDown", "Shift+ArrowRight");
  await expect(log).toHaveText("A1:B2 selected");
  // Nothing is left to do again.
  await ann.press("ArrowDown", "Control+y");
  await expect(log).toHaveText("A1:B2 selected");
});

test("jumps announce where they lead", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B7", [["Pens"]]);
  const log = ann.page.getByRole("log", { name: "Cell changes" });
  // The code for announcements is loaded.
  await ann.press("Control+b");
  await expect(log).toHaveText("Bold on");
  await ann.press("Control+g");
  await ann.page.keyboard.type("B7");
  await ann.press("Enter");
  await expect(log).toHaveText("B7 Pens");
  await ann.press("Control+g");
  await ann.page.keyboard.type("A2:B3");
  await ann.press("Enter");
  await expect(log).toHaveText("A2:B3 selected");
  await ann.press("Control+f");
  await ann.page.getByRole("textbox", { name: "Find", exact: true }).fill("pens");
  await ann.press("Enter");
  await expect(log).toHaveText("B7 Pens");
  await ann.press("Escape", "Shift+F11");
  await expect(log).toHaveText("Sheet2, A1");
  await ann.press("Alt+ArrowUp");
  await expect(log).toHaveText("Sheet1, B7 Pens");
});

test("saving is announced only when it fails, and when it works again", async ({ world }) => {
  const ann = await world.enter();
  const status = ann.page.getByRole("status", { name: "Save status" });
  await expect(status).toHaveAttribute("aria-live", "off");
  await ann.type("A1", [["1"]]);
  await ann.saved();
  await expect(status).toHaveAttribute("aria-live", "off");
  await world.server.kill();
  await ann.status(/Offline/);
  await expect(status).toHaveAttribute("aria-live", "polite");
  await world.server.run();
  await ann.saved();
  await expect(status).toHaveAttribute("aria-live", "polite");
  await ann.type("A2", [["2"]]);
  await ann.saved();
  await expect(status).toHaveAttribute("aria-live", "off");
});
