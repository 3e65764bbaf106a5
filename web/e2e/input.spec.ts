import type { CDPSession } from "@playwright/test";
import { expect, type Person, test } from "./sheet.ts";
import { doubleTap } from "./touch.ts";

/** What input methods send: letters that are being composed, key presses that belong to the method, the finished text. */
class InputMethod {
  private readonly devtools: CDPSession;

  private constructor(devtools: CDPSession) {
    this.devtools = devtools;
  }

  static async of(person: Person): Promise<InputMethod> {
    return new InputMethod(await person.context.newCDPSession(person.page));
  }

  /** A key that the method takes: pages hear of it as key 229. */
  async key(): Promise<void> {
    const key = { windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229, key: "Process" };
    await this.devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
    await this.devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  }

  async compose(...steps: string[]): Promise<void> {
    for (const text of steps) {
      await this.key();
      await this.devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    }
  }

  /** Enter or a number key, taken by the method, chooses what is written. */
  async choose(text: string): Promise<void> {
    await this.key();
    await this.devtools.send("Input.insertText", { text });
  }
}

const WORDS = [
  { language: "Chinese by pinyin", steps: ["n", "ni", "ni h", "ni hao"], text: "你好" },
  { language: "Japanese by kana", steps: ["に", "にほ", "にほん", "日本"], text: "日本" },
  { language: "Korean by jamo", steps: ["ㅎ", "하", "한"], text: "한" },
] as const;

for (const { language, steps, text } of WORDS) {
  test(`${language}: the first key begins, the method's Enter only chooses`, async ({ world }) => {
    const ann = await world.enter();
    await ann.type("B2", [["old"]]);
    await ann.select("B2");
    const method = await InputMethod.of(ann);
    const field = ann.page.locator(".cell-field");
    await method.compose(...steps);
    // What is composed replaces what the cell held, and is seen while it is composed.
    await expect(field).toHaveValue(steps.at(-1) ?? "");
    await expect(field).toHaveClass(/is-editing/);
    await method.choose(text);
    await expect(field).toHaveValue(text);
    await expect(ann.page.getByRole("textbox", { name: /^Selected cells/ })).toHaveValue("B2");
    // Another word follows in the same cell, then the cell's own Enter ends it.
    await method.compose(...steps);
    await method.choose(text);
    await expect(field).toHaveValue(text + text);
    await ann.press("Enter");
    await ann.seesInCell("B2", text + text);
    await expect(ann.page.getByRole("textbox", { name: /^Selected cells/ })).toHaveValue("B3");
  });
}

test("what is composed in the formula bar shows in the cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1");
  await ann.page.getByRole("textbox", { name: "Formula bar" }).click();
  const method = await InputMethod.of(ann);
  await method.compose("す", "すし");
  await method.choose("寿司");
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toHaveValue("寿司");
  await expect(ann.page.locator(".cell-field")).toHaveValue("寿司");
  await ann.press("Enter");
  await ann.seesInCell("A1", "寿司");
});

test("a composition that is given up leaves the cell as it was", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["kept"]]);
  await ann.select("A1");
  const method = await InputMethod.of(ann);
  await method.compose("k", "か");
  await method.compose("");
  await ann.press("Escape");
  await ann.seesInCell("A1", "kept");
});

test("fingers pan, hold for the menu, and drag the selection's handles; the keyboard types", async ({ world }) => {
  const context = await world.browser.newContext({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/fingers`);
  await expect(page.getByRole("status", { name: "Saving" })).toHaveText("Saved");
  const grid = await page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const name = page.getByRole("textbox", { name: /^Selected cells/ });
  const devtools = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x = 0, y = 0) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: grid.x + x, y: grid.y + y }] });
  const cellPoint = (row: number, column: number) => ({ x: 44 + column * 96 + 48, y: 24 + row * 22 + 11 });

  // Taps select; the handle at the selection's corner makes it larger.
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

  // A second tap, soon after the first, opens the cell for the on-screen keyboard, which sends text without keys.
  await doubleTap(page, grid.x + b3.x, grid.y + b3.y);
  await expect(page.locator(".cell-field.is-editing")).toBeFocused();
  await expect(name).toHaveValue("B3");
  await devtools.send("Input.insertText", { text: "Swiped" });
  await page.keyboard.press("Enter");
  await expect(page.locator('[data-cell="B3"]')).toHaveText("Swiped");

  // A finger that moves pans: other rows come, nothing else is selected.
  // One event follows the other at once, or it would be a finger that stays; it rests before it is lifted, or it would be a fling.
  const pan = [touch("touchStart", 200, 500)];
  for (let step = 1; step <= 12; step += 1) {
    pan.push(touch("touchMove", 200, 500 - step * 30));
  }
  await Promise.all(pan);
  await page.waitForTimeout(400);
  await touch("touchEnd");
  await expect(page.locator('[role=gridcell][data-cell="A30"]')).toBeAttached();
  await expect(page.locator('[role=gridcell][data-cell="A1"]')).toHaveCount(0);

  // A finger that stays opens the menu of the cell.
  await touch("touchStart", 200, 200);
  await expect(page.getByRole("menu")).toBeVisible();
  await touch("touchEnd");
  await expect(page.getByRole("menuitem", { name: "Copy" })).toBeVisible();
  // A tap chooses there and nothing below: from the cell that was held the arrow leads on.
  const [, column = "", row = ""] = /^([A-Z]+)(\d+)$/.exec(await name.inputValue()) ?? [];
  await page.getByRole("menuitem", { name: "Copy" }).tap();
  await expect(page.getByRole("menu")).toHaveCount(0);
  await page.keyboard.press("ArrowDown");
  await expect(name).toHaveValue(`${column}${Number(row) + 1}`);
  await context.close();
});

test("with reduced motion nothing moves", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.emulateMedia({ reducedMotion: "reduce" });
  await ann.press("Control+/");
  await expect(ann.page.getByRole("dialog")).toBeVisible();
  const longest = await ann.page.evaluate(() =>
    Math.max(0, ...document.getAnimations().map((animation) => Number(animation.effect?.getComputedTiming().duration ?? 0))),
  );
  expect(longest).toBeLessThanOrEqual(1);
});

test("Tab leads through the page in the order in which it is read, and back to the cells", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1");
  await ann.press("F6");
  const seen: string[] = [];
  for (let step = 0; step < 12; step += 1) {
    seen.push(await ann.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
    await ann.press("Tab");
  }
  const menus = ["Quadrille: start page", "File", "Edit", "View", "Insert", "Format", "Data"];
  expect(seen.filter((label) => menus.includes(label))).toEqual(menus);
  // In the page, what comes later in the order of Tab lies later in the order of reading.
  expect(await ann.page.evaluate(() => document.querySelectorAll("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").length)).toBe(0);
  await ann.press("F6");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
});

test("walking by arrow keys reads cell after cell", async ({ world }) => {
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

test("a sheet is turned round from the menu, and its gridlines go", async ({ world }) => {
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
      expect(await ann.page.getByRole("textbox", { name: /^Selected cells/ }).inputValue()).toBe(to);
    }).toPass();
  // The next column lies to the left, once the sheet has turned.
  await leadsFrom("A1", "B1");
  await ann.page.getByRole("button", { name: "View", exact: true }).click();
  await expect(ann.page.getByRole("menuitemcheckbox", { name: "Right-to-left sheet" })).toHaveAttribute("aria-checked", "true");
  await expect(ann.page.getByRole("menuitemcheckbox", { name: "Show gridlines" })).toHaveAttribute("aria-checked", "true");
  await ann.page.getByRole("menuitemcheckbox", { name: "Right-to-left sheet" }).click();
  await leadsFrom("B1", "A1");
});
