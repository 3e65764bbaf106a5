import type { Page } from "@playwright/test";
import { command } from "./commands.ts";
import { skipOutsideChromium } from "./skip.ts";
import { expect, test } from "./user.ts";


/** Colour of the canvas in the left half of a cell, which numbers do not cover. */
async function colorAt(page: Page, x: number, y: number): Promise<string> {
  return page.evaluate(
    ({ x, y }) => {
      const canvas = document.querySelector("canvas");
      const box = canvas?.getBoundingClientRect();
      const data = canvas?.getContext("2d")?.getImageData((x - (box?.left ?? 0)) * devicePixelRatio, (y - (box?.top ?? 0)) * devicePixelRatio, 1, 1).data;
      return [...(data ?? [])].slice(0, 3).map((part) => part.toString(16).padStart(2, "0")).join("");
    },
    { x, y },
  );
}

test("frozen rows and columns keep their position and react to presses", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["name", "jan"], ["pens", "3"]]);
  await command(ann.page, { type: "freezePanes", sheet: 1, rows: 1, columns: 1 });
  await ann.select("H200");
  await ann.seesInCell("A1", "name");
  await expect(ann.cell("A2")).toHaveCount(0);
  await ann.click("A1");
  await expect(ann.nameBox).toHaveValue("A1");
  await ann.page.keyboard.type("item");
  await ann.press("Enter");
  await ann.seesInCell("A1", "item");
});

test("hidden rows are skipped, and a double click unhides them", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"], ["4"], ["=SUM(A1:A4)"]]);
  await ann.select("A2:A3");
  await ann.press("Control+9");
  await expect(ann.cell("A2")).toHaveCount(0);
  await ann.seesInCell("A5", "10");
  await ann.select("A1");
  await ann.press("ArrowDown");
  await expect(ann.nameBox).toHaveValue("A4");
  const header = await ann.point("A1");
  await ann.page.mouse.dblclick(header.x - 48 - 22, header.y + 11);
  await ann.sees("A1", [["1"], ["2"], ["3"], ["4"]]);
});

test("merged cells are one cell for mouse, keyboard and screen reader", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["title"]]);
  await command(ann.page, { type: "merge", sheet: 1, range: "B2:C3", how: "all" });
  await expect(ann.cell("B2")).toHaveAttribute("aria-colspan", "2");
  await expect(ann.cell("B2")).toHaveAttribute("aria-rowspan", "2");
  await ann.click("C3");
  await expect(ann.nameBox).toHaveValue(/^B2/);
  await ann.press("ArrowRight");
  await expect(ann.nameBox).toHaveValue("D2");
  await ann.press("ArrowLeft");
  await expect(ann.nameBox).toHaveValue(/^B2/);
  await ann.press("ArrowDown");
  await expect(ann.nameBox).toHaveValue("B4");
  await ann.drag("A1", "B2");
  await expect(ann.nameBox).toHaveValue("A1:C3");
});

test("references of a formula are coloured, dragged and made absolute", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["4"]]);
  await ann.select("C1");
  await ann.page.keyboard.type("=SUM(A1:A2)+A1");
  await ann.seesReferences("A1:A2", "A1");
  await ann.dragCorner("A2", "A3");
  await expect(ann.field).toHaveValue("=SUM(A1:A3)+A1");
  await ann.press("F4");
  await expect(ann.field).toHaveValue("=SUM($A$1:$A$3)+A1");
  await ann.press("Enter");
  await ann.seesInCell("C1", "8");
});

test("references to another sheet are inserted by mouse and by keys", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["21"], ["4"]]);
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await ann.select("A1");
  await ann.page.keyboard.type("=2*");
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await ann.click("B2");
  const bar = ann.page.getByRole("textbox", { name: "Formula bar" });
  await expect(bar).toHaveValue("=2*Sheet1!B2");
  await ann.press("ArrowDown");
  await expect(bar).toHaveValue("=2*Sheet1!B3");
  await ann.press("ArrowUp");
  await expect(bar).toHaveValue("=2*Sheet1!B2");
  await ann.press("Enter");
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await ann.seesInCell("A1", "42");
});

test("cells are moved by dragging, copied with Ctrl and filled down by a double click", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1", "=A1*2"], ["2"], ["3"]]);
  await ann.select("B1");
  const b1 = await ann.point("B1");
  await ann.page.mouse.dblclick(b1.x + 48, b1.y + 11);
  await ann.sees("B1", [["2"], ["4"], ["6"]]);
  await ann.select("A1:A3");
  const edge = await ann.point("A2");
  const to = await ann.point("D2");
  const drag = async (): Promise<void> => {
    await ann.page.mouse.move(edge.x - 48, edge.y);
    await ann.page.mouse.down();
    await ann.page.mouse.move(to.x - 60, to.y);
    await ann.page.mouse.move(to.x - 48, to.y);
    await ann.page.mouse.up();
  };
  await drag();
  await ann.sees("D1", [["1"], ["2"], ["3"]]);
  await ann.sees("A1", [["", "2"], ["", "4"], ["", "6"]]);
  await expect(ann.nameBox).toHaveValue("D1:D3");
  await ann.press("Control+z");
  await ann.sees("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A1:A3");
  await ann.page.keyboard.down("Control");
  await drag();
  await ann.page.keyboard.up("Control");
  await ann.sees("D1", [["1"], ["2"], ["3"]]);
  await ann.sees("A1", [["1"], ["2"], ["3"]]);
});

test("presses hit the right cells in a zoomed sheet", async ({ world, browserName }) => {
  const ann = await world.enter();
  const grid = await ann.page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const zoom = ann.page.getByRole("combobox", { name: "Zoom" });
  if (browserName === "webkit") {
    // The wheel of WebDriver turns without the keys that are held.
    await zoom.selectOption("200%");
  } else {
    await ann.page.mouse.move(grid.x + 300, grid.y + 300);
    await ann.page.keyboard.down("Control");
    await ann.page.mouse.wheel(0, -2_000);
    await ann.page.keyboard.up("Control");
    // Playwright does not wait for wheel events.
    await expect(zoom).toHaveValue("200%");
  }
  // At 200 % the second column starts at 192 pixels and the second row at 44.
  await ann.page.mouse.click(grid.x + 44 + 192 + 20, grid.y + 24 + 44 + 10);
  await expect(ann.nameBox).toHaveValue("B2");
  await ann.page.keyboard.type("large");
  await expect(ann.field).toHaveCSS("font-size", "26px");
  await ann.press("Enter");
  await ann.seesInCell("B2", "large");
});

test("a sheet can be right-to-left", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["first", "second"]]);
  await command(ann.page, { type: "setItem", sheet: 1, item: 0, kind: "sheetSettings", fields: { rightToLeft: true } });
  const grid = await ann.page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const right = grid.x + grid.width;
  await expect(async () => {
    await ann.page.mouse.click(right - 44 - 96 - 40, grid.y + 24 + 11);
    await expect(ann.nameBox).toHaveValue("B1", { timeout: 300 });
  }).toPass();
  await ann.press("ArrowRight");
  await expect(ann.nameBox).toHaveValue("A1");
});

test("conditional formats update when values change", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["9"]]);
  const fields = { rule: "cell", operator: "greater", formula1: "=4", format: { fillColor: "#ff0000" } };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "conditionalRule", anchors: ["A1:A9"], fields });
  const [a1, a2] = [await ann.point("A1"), await ann.point("A2")];
  await ann.select("D9");
  await expect.poll(() => colorAt(ann.page, a2.x - 20, a2.y)).toBe("ff0000");
  expect(await colorAt(ann.page, a1.x - 20, a1.y)).toBe("ffffff");
  await ann.type("A1", [["5"], ["2"]]);
  await ann.select("D9");
  await expect.poll(() => colorAt(ann.page, a1.x - 20, a1.y)).toBe("ff0000");
  await expect.poll(() => colorAt(ann.page, a2.x - 20, a2.y)).toBe("ffffff");
});

test("conditional formats, banded rows and frozen rows appear for others", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("B2", [["head"], ["1"], ["9"], ["3"]]);
  await bob.seesInCell("B5", "3");
  await bob.select("H9");
  const seenByBob = async (name: string): Promise<string> => {
    const { x, y } = await bob.point(name);
    return colorAt(bob.page, x + 30, y - 6);
  };
  await ann.select("B2");
  await ann.choose("Format", "Alternating colours");
  await expect.poll(() => seenByBob("B2")).toBe("8fd3c1");
  await expect.poll(() => seenByBob("B4")).toBe("e6f3ef");
  const fields = { rule: "cell", operator: "greater", formula1: "=4", format: { fillColor: "#ff0000" } };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "conditionalRule", anchors: ["B3:B9"], fields });
  await expect.poll(() => seenByBob("B4")).toBe("ff0000");
  expect(await seenByBob("B3")).toBe("ffffff");
  // Two frozen rows keep their position when bob scrolls.
  await ann.select("A3");
  await ann.choose("View", "Up to current cell");
  await bob.select("A300");
  await expect.poll(() => seenByBob("B2")).toBe("8fd3c1");
  // White or a grid line, which depends on the height of the window.
  await expect.poll(() => seenByBob("B4")).toMatch(/^(ffffff|dde5e2)$/);
});

test("checkboxes are toggled with the mouse and the space bar", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["B2:B3"], fields: { rule: "checkbox" } });
  await ann.seesInCell("B2", "not checked");
  await ann.click("B2");
  await ann.seesInCell("B2", "checked");
  await ann.formula("TRUE");
  await ann.select("B3");
  await ann.press("Space");
  await ann.seesInCell("B3", "checked");
  await ann.press("Space");
  await ann.seesInCell("B3", "not checked");
  // A formula is not overwritten, and a value that is no state of a checkbox stays visible.
  await command(ann.page, { type: "setCells", sheet: 1, at: "B2", cells: [[{ formula: "=1=1" }], [{ text: "n/a" }]] });
  await ann.click("B2");
  await expect(ann.page.getByText("A formula calculates this checkbox.")).toBeVisible();
  await ann.formula("=1=1");
  await ann.seesInCell("B3", "n/a");
});

test("pinching zooms and a long press opens the menu", async ({ world }) => {
  skipOutsideChromium("WebDriver touches neither Firefox nor WebKitGTK.");
  const context = await world.browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const page = await context.newPage();
  await page.goto(`${world.server.url}/pinch`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const grid = await page.locator("main.grid").boundingBox();
  if (!grid) {
    throw new Error("no grid");
  }
  const devtools = await context.newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", points: readonly (readonly [number, number])[]) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x: grid.x + x, y: grid.y + y, id })) });
  await touch("touchStart", [[150, 200]]);
  await touch("touchStart", [[150, 200], [250, 200]]);
  await touch("touchMove", [[100, 200], [300, 200]]);
  await touch("touchEnd", []);
  await page.touchscreen.tap(grid.x + 44 + 192 + 40, grid.y + 24 + 44 + 10);
  await expect(page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B2");
  await touch("touchStart", [[100, 100]]);
  await expect(page.getByRole("menu")).toBeVisible();
  await touch("touchEnd", []);
  await context.close();
});

test("text is autocompleted from the column", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Hamburg"], ["Hannover"]]);
  await ann.select("A3");
  await ann.page.keyboard.type("Ham");
  await expect(ann.field).toHaveValue("Hamburg");
  await ann.press("Enter");
  await ann.seesInCell("A3", "Hamburg");
  await ann.page.keyboard.type("Ham");
  await expect(ann.field).toHaveValue("Hamburg");
  await ann.press("Backspace");
  await expect(ann.field).toHaveValue("Ham");
  await ann.press("Enter");
  await ann.seesInCell("A4", "Ham");
  await ann.type("B1", [["apple"], ["Apple pie"]]);
  await ann.sees("B1", [["apple"], ["Apple pie"]]);
});

test("an error value is explained with its source cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["0"], ["=1/A1"], ["=A2+1"]]);
  await ann.select("A3");
  const help = ann.page.getByRole("note");
  await expect(help).toContainText("#DIV/0!");
  await expect(help).toContainText("Division by zero");
  await expect(help).toContainText("The error comes from A2.");
  await help.getByRole("button", { name: "Go to cell" }).click();
  await expect(ann.nameBox).toHaveValue("A2");
  await ann.formula("=1/A1");
});
