import { inputMethod, NO_METHOD } from "./input-method.ts";
import { skipInWebKit, skipOutsideChromium } from "./skip.ts";
import { expect, test } from "./user.ts";
import { doubleTap } from "./touch-input.ts";

const WORDS = [
  { language: "Chinese by pinyin", steps: ["n", "ni", "ni h", "ni hao"], text: "你好" },
  { language: "Japanese by kana", steps: ["に", "にほ", "にほん", "日本"], text: "日本" },
  { language: "Korean by jamo", steps: ["ㅎ", "하", "한"], text: "한" },
] as const;

for (const { language, steps, text } of WORDS) {
  test(`${language}: the first key starts the entry, and the input method's Enter only commits its text`, async ({ world }) => {
    skipInWebKit(NO_METHOD);
    const ann = await world.enter();
    await ann.type("B2", [["old"]]);
    await ann.select("B2");
    const method = await inputMethod(ann);
    const field = ann.page.locator(".cell-field");
    await method.compose(...steps);
    // The composition replaces the cell's content and is visible.
    await expect(field).toHaveValue(steps.at(-1) ?? "");
    await expect(field).toHaveClass(/is-editing/);
    await method.choose(text);
    await expect(field).toHaveValue(text);
    await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B2");
    // A second word is composed in the same cell, then Enter commits the entry.
    await method.compose(...steps);
    await method.choose(text);
    await expect(field).toHaveValue(text + text);
    await ann.press("Enter");
    await ann.seesInCell("B2", text + text);
    await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B3");
  });
}

test("text composed in the formula bar appears in the cell", async ({ world }) => {
  skipInWebKit(NO_METHOD);
  const ann = await world.enter();
  await ann.select("A1");
  await ann.page.getByRole("textbox", { name: "Formula bar" }).click();
  const method = await inputMethod(ann);
  await method.compose("す", "すし");
  await method.choose("寿司");
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toHaveValue("寿司");
  await expect(ann.page.locator(".cell-field")).toHaveValue("寿司");
  await ann.press("Enter");
  await ann.seesInCell("A1", "寿司");
});

test("the composition of a character by its number starts the entry, and its Enter only commits the character", async ({ world, browserName }) => {
  test.skip(browserName !== "webkit", "GTK has this input method, and only WebKitGTK gets its keys from GTK.");
  const ann = await world.enter();
  await ann.type("B2", [["old"]]);
  await ann.select("B2");
  const compose = async (number: string): Promise<void> => {
    await ann.press("Control+Shift+U");
    await ann.page.keyboard.type(number);
  };
  await compose("65e5");
  await expect(ann.field).toHaveValue("u65e5");
  await expect(ann.field).toHaveClass(/is-editing/);
  await ann.press("Enter");
  await expect(ann.field).toHaveValue("日");
  await expect(ann.nameBox).toHaveValue("B2");
  await compose("672c");
  await ann.press("Enter");
  await expect(ann.field).toHaveValue("日本");
  await ann.press("Enter");
  await ann.seesInCell("B2", "日本");
  await expect(ann.nameBox).toHaveValue("B3");

  // A cancelled composition leaves the cell unchanged.
  await ann.select("B2");
  await compose("41");
  await ann.press("Escape");
  await ann.press("Escape");
  await ann.seesInCell("B2", "日本");
});

test("a cancelled composition leaves the cell unchanged", async ({ world }) => {
  skipInWebKit(NO_METHOD);
  const ann = await world.enter();
  await ann.type("A1", [["kept"]]);
  await ann.select("A1");
  const method = await inputMethod(ann);
  await method.compose("k", "か");
  await method.compose("");
  await ann.press("Escape");
  await ann.seesInCell("A1", "kept");
});

test("touch pans, opens the menu and drags the selection handles", async ({ world }) => {
  skipOutsideChromium("WebDriver touches neither Firefox nor WebKitGTK.");
  const context = await world.browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/fingers`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const grid = await page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const name = page.getByRole("textbox", { name: /^Name box/ });
  const devtools = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: grid.x + x, y: grid.y + y }] });
  const cellPoint = (row: number, column: number) => ({ x: 44 + column * 96 + 48, y: 24 + row * 22 + 11 });

  // A tap selects, and the handle extends the selection.
  const b3 = cellPoint(2, 1);
  await page.touchscreen.tap(grid.x + b3.x, grid.y + b3.y);
  await expect(name).toHaveValue("B3");
  const corner = { x: 44 + 2 * 96, y: 24 + 3 * 22 };
  await touch("touchStart", corner.x, corner.y);
  for (const step of [1, 2, 3]) {
    await touch("touchMove", corner.x + step * 16, corner.y + step * 18);
  }
  await touch("touchEnd");
  await expect(name).toHaveValue("B3:C6");

  // A double tap edits; the on-screen keyboard sends text without key events.
  await doubleTap(page, grid.x + b3.x, grid.y + b3.y);
  await expect(page.locator(".cell-field.is-editing")).toBeFocused();
  await expect(name).toHaveValue("B3");
  await devtools.send("Input.insertText", { text: "Swiped" });
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-cell="B3"]')).toHaveText("Swiped");

  // A moving touch pans and does not select. Events follow at once, or it would be a long press;
  // the touch rests before its end, or it would be a fling.
  const pan = [touch("touchStart", 200, 500)];
  for (let step = 1; step <= 12; step += 1) {
    pan.push(touch("touchMove", 200, 500 - step * 30));
  }
  await Promise.all(pan);
  await page.waitForTimeout(400);
  await touch("touchEnd");
  await expect(page.locator('[role=gridcell][data-cell="A30"]')).toBeAttached();
  await expect(page.locator('[role=gridcell][data-cell="A1"]')).toHaveCount(0);

  // A long press opens the context menu.
  await touch("touchStart", 200, 200);
  await expect(page.getByRole("menu")).toBeVisible();
  await touch("touchEnd");
  await expect(page.getByRole("menuitem", { name: "Copy" })).toBeVisible();
  // A tap chooses a menu item and does not reach the cell below it.
  const [, column = "", row = ""] = /^([A-Z]+)(\d+)$/.exec(await name.inputValue()) ?? [];
  await page.getByRole("menuitem", { name: "Copy" }).tap();
  await expect(page.getByRole("menu")).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(name).toHaveValue(`${column}${Number(row) + 1}`);
  await context.close();
});

test("reduced motion disables animations", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.emulateMedia({ reducedMotion: "reduce" });
  await ann.press("Control+/");
  await expect(ann.page.getByRole("dialog")).toBeVisible();
  const longest = await ann.page.evaluate(() =>
    Math.max(0, ...document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0))),
  );
  expect(longest).toBeLessThanOrEqual(1);
});

test("Tab moves through the page in reading order and back to the cells", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1");
  await ann.press("F6");
  const labels: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    labels.push(await ann.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
    await ann.press("Tab");
  }
  const menus = ["Quadrille: start page", "File", "Edit", "View", "Insert", "Format", "Data"];
  expect(labels.filter((label) => menus.includes(label))).toEqual(menus);
  // The tab order is the reading order.
  expect(await ann.page.evaluate(() => document.querySelectorAll("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").length)).toBe(0);
  await ann.press("F6");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
});

test("arrow keys announce each cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Item", "Price"], ["Pens", "2.5"]]);
  await ann.select("A1");
  const field = ann.page.locator(".cell-field");
  const read = async (cell: string, text: string): Promise<void> => {
    await expect(ann.cell(cell)).toHaveAttribute("aria-selected", "true");
    const id = await ann.cell(cell).getAttribute("id");
    await expect(field).toHaveAttribute("aria-activedescendant", id ?? "");
    await expect(field).toHaveAccessibleName(`${cell} ${text}`);
  };
  await read("A1", "Item");
  await ann.press("ArrowRight");
  await read("B1", "Price");
  await ann.press("ArrowDown");
  await read("B2", "2.5");
  await ann.press("ArrowLeft");
  await read("A2", "Pens");
});

test("the menu switches the sheet direction and gridlines", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["first", "second"]]);
  const check = async (name: string): Promise<void> => {
    await ann.page.getByRole("button", { name: "View", exact: true }).click();
    await ann.page.getByRole("menuitemcheckbox", { name }).click();
  };
  await check("Right-to-left sheet");
  const leadsFrom = (from: string, to: string): Promise<void> =>
    expect(async () => {
      await ann.select(from);
      await ann.press("ArrowLeft");
      expect(await ann.page.getByRole("textbox", { name: /^Name box/ }).inputValue()).toBe(to);
    }).toPass();
  // In a right-to-left sheet, the next column is on the left.
  await leadsFrom("A1", "B1");
  await ann.page.getByRole("button", { name: "View", exact: true }).click();
  await expect(ann.page.getByRole("menuitemcheckbox", { name: "Right-to-left sheet" })).toHaveAttribute("aria-checked", "true");
  await expect(ann.page.getByRole("menuitemcheckbox", { name: "Show gridlines" })).toHaveAttribute("aria-checked", "true");
  await ann.page.getByRole("menuitemcheckbox", { name: "Right-to-left sheet" }).click();
  await leadsFrom("B1", "A1");
});
