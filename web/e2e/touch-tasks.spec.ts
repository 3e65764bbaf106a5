/**
 * Everyday tasks on a phone with fingers only: taps, drags, long presses and pinches. Text is inserted
 * as an on-screen keyboard does it; of the other keys the tests use Enter alone.
 */

import type { CDPSession, Locator, Page } from "@playwright/test";
import { doubleTap } from "./touch-input.ts";
import { test as base, expect, newContext } from "./user.ts";

const HEADER = { width: 44, height: 24 };
const CELL = { width: 96, height: 22 };

type At = readonly [x: number, y: number];

/** A person with a phone. */
class Phone {
  readonly page: Page;
  private readonly devtools: CDPSession;
  /** Top left corner of the grid on the page. */
  private readonly grid: At;

  constructor(page: Page, devtools: CDPSession, grid: At) {
    this.page = page;
    this.devtools = devtools;
    this.grid = grid;
  }

  /** The middle of a cell, or another of its points; the sheet is not scrolled or zoomed. */
  at(cell: string, share: At = [0.5, 0.5]): At {
    const [, letter = "A", digits = "1"] = /^([A-Z])(\d+)$/.exec(cell) ?? [];
    const column = letter.charCodeAt(0) - 65 + share[0];
    return [this.grid[0] + HEADER.width + column * CELL.width, this.grid[1] + HEADER.height + (Number(digits) - 1 + share[1]) * CELL.height];
  }

  async tap(cell: string): Promise<void> {
    await this.page.touchscreen.tap(...this.at(cell));
    await this.selects(cell);
  }

  async selects(range: string): Promise<void> {
    await expect(this.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue(range);
  }

  async sees(cell: string, text: string): Promise<void> {
    await expect(this.page.locator(`[role=gridcell][data-cell="${cell}"]`)).toHaveText(text);
  }

  /** Texts of a column, from its first row. */
  async seesColumn(letter: string, texts: readonly string[]): Promise<void> {
    for (const [row, text] of texts.entries()) {
      await this.sees(`${letter}${row + 1}`, text);
    }
  }

  /** Edits a cell after a double tap on it. */
  async types(cell: string, text: string): Promise<void> {
    await doubleTap(this.page, ...this.at(cell));
    await expect(this.page.locator(".cell-field.is-editing")).toBeFocused();
    await this.writes(text);
    await this.page.keyboard.press("Enter");
  }

  /** Text of the on-screen keyboard, which sends no keys. */
  async writes(text: string): Promise<void> {
    await this.devtools.send("Input.insertText", { text });
  }

  async typesColumn(letter: string, texts: readonly string[]): Promise<void> {
    for (const [row, text] of texts.entries()) {
      await this.types(`${letter}${row + 1}`, text);
    }
  }

  /** Moves one finger along these points. */
  async drag(...points: readonly [At, ...At[]]): Promise<void> {
    const [first, ...others] = points;
    await this.touch("touchStart", first);
    for (const point of others) {
      await this.touch("touchMove", point);
    }
    await this.touch("touchEnd");
  }

  /** Selects a range: a tap, and a drag of the handle at its end. */
  async select(from: string, to: string): Promise<void> {
    await this.tap(from);
    await this.drag(this.at(from, [1, 1]), this.at(to, [0.7, 0.3]), this.at(to));
    await this.selects(`${from}:${to}`);
  }

  /** Holds a finger until the menu opens, and taps an entry of it. */
  async chooseAt(point: At, entry: string | RegExp): Promise<void> {
    await this.touch("touchStart", point);
    await expect(this.page.getByRole("menu")).toBeVisible();
    await this.touch("touchEnd");
    await this.page.getByRole("menuitem", { name: entry }).tap();
    await expect(this.page.getByRole("menu")).toHaveCount(0);
  }

  /** Taps an entry of a menu of the menu bar. */
  async choose(menu: string, entry: string | RegExp): Promise<void> {
    await this.button(menu).tap();
    await this.page.getByRole("menuitem", { name: entry }).tap();
    await expect(this.page.getByRole("menu")).toHaveCount(0);
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  /** Moves two fingers from one distance to another. */
  async pinch(middle: At, fromPx: number, toPx: number): Promise<void> {
    const [x, y] = middle;
    const fingers = (distancePx: number) => [-1, 1].map((side, id) => ({ x: x + (side * distancePx) / 2, y, id }));
    await this.devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: fingers(fromPx) });
    await this.devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: fingers(toPx) });
    await this.devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  private async touch(type: "touchStart" | "touchMove" | "touchEnd", point?: At): Promise<void> {
    const touchPoints = point ? [{ x: point[0], y: point[1] }] : [];
    await this.devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  }
}

const test = base.extend<{ phone: Phone }>({
  phone: async ({ world }, use, info) => {
    const context = await newContext(world.browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${world.server.url}/phone-${info.testId}`);
    await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
    const grid = await page.locator("main.grid").boundingBox();
    await use(new Phone(page, await context.newCDPSession(page), [grid?.x ?? 0, grid?.y ?? 0]));
    await context.close();
    expect(problems).toEqual([]);
  },
});

test("cells are filled in and changed", async ({ phone }) => {
  await phone.types("A1", "12");
  await phone.types("A2", "=A1*2");
  await phone.sees("A2", "24");
  // The edit continues the contents.
  await phone.types("A1", "0");
  await phone.sees("A2", "240");
  await phone.tap("A2");
  const bar = phone.page.getByRole("textbox", { name: "Formula bar" });
  await bar.tap();
  await phone.writes("+1");
  await phone.button("Complete entry").tap();
  await phone.sees("A2", "241");
  await phone.tap("A1");
  await phone.chooseAt(phone.at("A1"), "Clear contents");
  await phone.sees("A2", "1");
});

test("a range is selected by its handles and formatted", async ({ phone }) => {
  await phone.typesColumn("B", ["1", "2", "3"]);
  await phone.select("B1", "B3");
  await expect(phone.page.getByRole("group", { name: "Selection" })).toContainText("Sum6");
  await phone.button("Bold").tap();
  await expect(phone.button("Bold")).toHaveAttribute("aria-pressed", "true");
  await phone.button("Fill colour").tap();
  await phone.button("#fff2cc").tap();
  await phone.tap("B2");
  await expect(phone.button("Bold")).toHaveAttribute("aria-pressed", "true");
  await phone.tap("B4");
  await expect(phone.button("Bold")).toHaveAttribute("aria-pressed", "false");
});

test("cells are copied and cut by the menu of a long press", async ({ phone }) => {
  await phone.typesColumn("A", ["5", "=A1+1"]);
  await phone.select("A1", "A2");
  await phone.chooseAt(phone.at("A1"), "Copy");
  await phone.tap("C3");
  await phone.chooseAt(phone.at("C3"), /^Paste(?! values)/);
  await phone.sees("C4", "6");
  await phone.select("C3", "C4");
  await phone.chooseAt(phone.at("C3"), "Cut");
  await phone.tap("B1");
  await phone.chooseAt(phone.at("B1"), /^Paste(?! values)/);
  await phone.seesColumn("B", ["5", "6"]);
  await phone.sees("C3", "");
});

test("a series and a formula are continued", async ({ phone }) => {
  await phone.typesColumn("A", ["10", "20"]);
  await phone.types("B1", "=A1*2");
  await phone.select("A1", "A5");
  await phone.chooseAt(phone.at("A3"), "Autofill");
  await phone.seesColumn("A", ["10", "20", "30", "40", "50"]);
  await phone.select("B1", "B5");
  await phone.choose("Edit", "Autofill");
  await phone.seesColumn("B", ["20", "40", "60", "80", "100"]);
});

test("rows are sorted and filtered", async ({ phone }) => {
  await phone.typesColumn("A", ["town", "Rome", "Bonn", "Oslo"]);
  await phone.tap("A2");
  await phone.choose("Data", /^Sort…/);
  await phone.button("Sort").tap();
  await phone.seesColumn("A", ["town", "Bonn", "Oslo", "Rome"]);
  await phone.choose("Data", /^Filter$/);
  const dialog = phone.page.getByRole("dialog", { name: "Filter" });
  // The button of the column may appear after the menu has closed.
  await expect(async () => {
    await phone.page.touchscreen.tap(...phone.at("A1", [0.9, 0.5]));
    await expect(dialog).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await dialog.getByRole("button", { name: "None" }).tap();
  await dialog.getByRole("checkbox", { name: "Oslo" }).tap();
  await dialog.getByRole("button", { name: "Apply" }).tap();
  await expect(phone.page.locator('[data-cell="A2"]')).toHaveCount(0);
  await phone.sees("A3", "Oslo");
});

test("rows and columns are inserted, resized and deleted at their headers", async ({ phone }) => {
  await phone.typesColumn("A", ["first", "second"]);
  const [, secondRow] = phone.at("A2");
  const header: At = [phone.at("A1")[0] - CELL.width / 2 - HEADER.width / 2, secondRow];
  await phone.chooseAt(header, /row above/);
  await phone.seesColumn("A", ["first", "", "second"]);
  await phone.chooseAt(header, /^Delete row/);
  await phone.seesColumn("A", ["first", "second"]);
  const [, headers] = phone.at("A1", [0.5, -0.5]);
  const [border] = phone.at("A1", [1, 0.5]);
  // The middle of the wider column is in the right half of the usual one, and B is further right. The menu may
  // still cover the header when the drag begins.
  await expect(async () => {
    await phone.drag([border, headers], [border + 20, headers], [border + 40, headers]);
    await phone.page.touchscreen.tap(...phone.at("B1", [0.3, 0.5]));
    await expect(phone.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A1", { timeout: 2_000 });
  }).toPass();
});

test("changes are undone and redone", async ({ phone }) => {
  await phone.types("A1", "kept");
  await phone.types("A2", "gone");
  await phone.button("Undo").tap();
  await phone.sees("A2", "");
  await phone.sees("A1", "kept");
  await phone.button("Redo").tap();
  await phone.sees("A2", "gone");
});

test("a cell gets a comment, which another person answers", async ({ phone, world }) => {
  await phone.types("A1", "1200");
  await phone.tap("A1");
  await phone.chooseAt(phone.at("A1"), /^Comment or note/);
  const panel = phone.page.getByRole("complementary", { name: "Comments" });
  await panel.getByRole("textbox", { name: "New comment" }).tap();
  await phone.writes("Net or gross?");
  await panel.getByRole("button", { name: "Comment", exact: true }).tap();
  const bob = await world.enter(new URL(phone.page.url()).pathname.slice(1));
  await bob.page.getByRole("button", { name: /^Comments/ }).click();
  const his = bob.page.getByRole("complementary", { name: "Comments" });
  await expect(his.getByText("Net or gross?")).toBeVisible();
  await his.getByRole("textbox", { name: "Reply" }).fill("Gross.");
  await his.getByRole("button", { name: "Reply" }).click();
  await expect(panel.getByText("Gross.")).toBeVisible();
  await panel.getByRole("button", { name: "Close" }).tap();
  await expect(panel).toHaveCount(0);
});

test("a workbook is shared", async ({ phone, world }) => {
  await phone.types("A1", "for Bob");
  await phone.button("Share this workbook").tap();
  const dialog = phone.page.getByRole("dialog", { name: /^Share/ });
  await expect(dialog.getByRole("heading", { name: "General access" })).toBeVisible();
  await dialog.getByRole("button", { name: "Copy link" }).tap();
  const link = await phone.page.evaluate(() => navigator.clipboard.readText());
  const bob = await world.enter(new URL(link).pathname.slice(1));
  await bob.seesInCell("A1", "for Bob");
});

test("sheets are added, renamed and switched", async ({ phone }) => {
  await phone.types("A1", "on the first sheet");
  await phone.button("Add sheet").tap();
  const second = phone.page.getByRole("tab", { name: "Sheet2" });
  await expect(second).toHaveAttribute("aria-selected", "true");
  await phone.sees("A1", "");
  await doubleTap(phone.page, ...(await middle(second)));
  await expect(phone.page.getByRole("textbox", { name: /sheet/i })).toBeFocused();
  await phone.writes("Totals");
  await phone.page.keyboard.press("Enter");
  await expect(phone.page.getByRole("tab", { name: "Totals" })).toBeVisible();
  await phone.page.getByRole("tab", { name: "Sheet1" }).tap();
  await phone.sees("A1", "on the first sheet");
});

test("the sheet is zoomed and scrolled", async ({ phone }) => {
  const zoom = phone.page.getByRole("combobox", { name: "Zoom" });
  await phone.pinch(phone.at("B8"), 80, 160);
  await expect.poll(async () => Number.parseInt(await zoom.inputValue(), 10)).toBeGreaterThan(150);
  await phone.pinch(phone.at("B8"), 160, 80);
  await expect.poll(async () => Number.parseInt(await zoom.inputValue(), 10)).toBeLessThan(120);
  await phone.drag(phone.at("B15"), phone.at("B10"), phone.at("B5"), phone.at("B1"));
  await expect(phone.page.locator('[data-cell="A1"]')).toHaveCount(0);
});

test("a tap selects where clicks are mouse events, as in Safari before 18.2", async ({ phone }) => {
  const [x, y] = phone.at("B3");
  await phone.page.evaluate(
    ([clientX, clientY]) => {
      const cells = document.elementFromPoint(clientX, clientY);
      const where = { clientX, clientY, bubbles: true, cancelable: true };
      cells?.dispatchEvent(new PointerEvent("pointerdown", { ...where, pointerType: "touch" }));
      cells?.dispatchEvent(new PointerEvent("pointerup", { ...where, pointerType: "touch" }));
      cells?.dispatchEvent(new MouseEvent("click", where));
    },
    [x, y] as const,
  );
  await phone.selects("B3");
});

async function middle(locator: Locator): Promise<At> {
  const box = await locator.boundingBox();
  return box ? [box.x + box.width / 2, box.y + box.height / 2] : [0, 0];
}
