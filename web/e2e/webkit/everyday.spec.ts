/** Everyday work with a workbook in WebKit, where Playwright's tests cannot run. */

import { resolve } from "node:path";
import { expect, test } from "./fixture.ts";

/** Written by LibreOffice, with its results. */
const STOCK = resolve(import.meta.dirname, "../../../crates/files/tests/fixtures/stock.ods");

// One worker, which starts two displays for all tests.
test.describe.configure({ mode: "default" });

test("typed values and formulas are calculated, and the fill handle continues a series", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.types("A1", [["Item", "Price"], ["Pen", "1.5"], ["Ink", "30"], ["Sum", "=SUM(B2:B3)"]]);
  await ann.sees("A1", [["Item", "Price"], ["Pen", "1.5"], ["Ink", "30"], ["Sum", "31.5"]]);
  await ann.select("B2");
  await ann.formula("1.5");
  await ann.press("F2", "Home");
  await ann.window.type("2");
  await ann.press("Enter");
  await ann.sees("B2", [["21.5"], ["30"], ["51.5"]]);
  await ann.clicksCell("B3", { times: 2 });
  await ann.press("Backspace");
  await ann.window.type("1");
  await ann.press("Tab");
  await ann.sees("B3", [["31"], ["52.5"]]);
  await ann.types("C1", [["=1/0"]]);
  await ann.seesInCell("C1", "#DIV/0!");

  await ann.types("D1", [["2", "=D1*10"], ["4"]]);
  await ann.select("D1:D2");
  await ann.drags("D2", "D5", "corner");
  await ann.sees("D3", [["6"], ["8"], ["10"]]);
  await ann.select("E1:E5");
  await ann.press("Control+d");
  await ann.sees("E2", [["40"], ["60"], ["80"], ["100"]]);
});

test("the mouse selects ranges, rows and columns, and points at the references of a formula", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.types("A1", [["1", "2"], ["3", "4"]]);
  await ann.drags("A1", "B2");
  await ann.selection("A1:B2");
  await ann.reads("Sum\n10");
  await ann.clicksCell("C4");
  await ann.clicksCell("E6", { holding: "Shift" });
  await ann.selection("C4:E6");
  const corner = await ann.point("A1");
  await ann.window.click({ x: corner.x, y: corner.y - 24 });
  await ann.selection("A:A");
  await ann.window.click({ x: corner.x - 70, y: corner.y + 22 });
  await ann.selection("2:2");
  await ann.select("D1");
  await ann.window.type("=SUM(");
  await ann.drags("A1", "B2");
  await ann.window.type(")*2");
  await ann.press("Enter");
  await ann.seesInCell("D1", "20");
  await ann.select("D1");
  await ann.formula("=SUM(A1:B2)*2");
});

test("two people converge, and each undoes their own changes only", async ({ everyday }) => {
  const ann = await everyday.enter();
  const bob = await everyday.enter();
  await Promise.all([ann.types("A1", [["ann"], ["a2"], ["a3"]]), bob.types("B1", [["bob"], ["b2"], ["b3"]])]);
  for (const person of [ann, bob]) {
    await person.sees("A1", [["ann", "bob"], ["a2", "b2"], ["a3", "b3"]]);
  }
  await Promise.all([ann.types("C1", [["of ann"]]), bob.types("C1", [["of bob"]])]);
  await ann.status("Saved");
  await bob.status("Saved");
  await expect
    .poll(async () => {
      const texts = await Promise.all([ann, bob].map((person) => person.window.evaluate(() => document.querySelector("[data-cell=C1]")?.textContent)));
      return texts[0] === texts[1] && texts[0] !== "";
    })
    .toBe(true);

  await ann.types("D1", [["kept?"]]);
  await bob.seesInCell("D1", "kept?");
  await bob.types("E1", [["theirs"]]);
  await ann.seesInCell("E1", "theirs");
  await ann.press("Control+z");
  for (const person of [ann, bob]) {
    await person.sees("D1", [["", "theirs"]]);
  }
  await ann.press("Control+y");
  await bob.seesInCell("D1", "kept?");
});

test("find moves through the matches", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.types("A1", [["apple", "pear"], ["my Apple", "=LEN(A1)"], ["grape", "5"]]);
  await ann.select("A1");
  await ann.press("Control+f");
  await ann.finds("textbox", "Find");
  await ann.window.type("ap");
  await ann.reads("3 found");
  await ann.press("Enter");
  await ann.selection("A2");
  await ann.reads("2 of 3");
  await ann.press("Enter");
  await ann.selection("A3");
  await ann.press("Shift+Enter");
  await ann.selection("A2");
  await ann.press("Escape");
  await ann.focusInCells();
});

test("the wheel scrolls, and the keyboard jumps to the end of the data", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.select("B500");
  await ann.window.type("last");
  await ann.press("Enter", "Control+Home");
  await ann.selection("A1");
  await ann.seesInCell("A1", "");
  await ann.window.scroll(await ann.point("C5"), 0, 2_000);
  await ann.seesInCell("A100", "");
  await ann.seesInCell("A1", "(not on the page)");
  await ann.press("Control+End");
  await ann.selection("B500");
  await ann.seesInCell("B500", "last");
});

test("menus, the toolbar and the context menu change cells, which are drawn", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.types("A1", [["bold"], ["below"]]);
  await ann.select("A1");
  await ann.clicks("button", "Bold");
  await ann.clicks("button", "Fill colour");
  // The edges of the letters have colours of all kinds.
  expect(await ann.pixels("A1", [0xff, 0xf2, 0xcc])).toBeLessThan(500);
  await ann.clicks("button", "#fff2cc");
  await expect.poll(() => ann.pixels("A1", [0xff, 0xf2, 0xcc])).toBeGreaterThan(1_000);
  await ann.focusInCells();
  await ann.clicksCell("A2", { button: "right" });
  await ann.clicks("menuitem", "Insert row above");
  await ann.sees("A1", [["bold"], [""], ["below"]]);
  await ann.clicks("button", "Insert");
  await ann.finds("menu", "");
  await ann.press("Escape");
  await ann.focusInCells();
  await ann.clicks("button", "Add sheet");
  await ann.finds("tab", "Sheet2");
  await ann.seesInCell("A1", "");
  await ann.clicks("tab", "Sheet1");
  await ann.seesInCell("A1", "bold");
});

test("cells are copied, cut and pasted with formulas and formats", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.types("A1", [["2", "=A1*10"], ["3"]]);
  await ann.sees("A1", [["2", "20"], ["3"]]);
  await ann.select("B1");
  await ann.press("Control+b", "Control+c");
  await ann.select("B2");
  await ann.press("Control+v");
  await ann.seesInCell("B2", "30");
  await ann.select("A1:B2");
  await ann.press("Control+x");
  await ann.select("D4");
  await ann.press("Control+v");
  await ann.sees("D4", [["2", "20"], ["3", "30"]]);
  await ann.sees("A1", [["", ""], ["", ""]]);
  await ann.select("E5");
  await ann.formula("=D5*10");
  const isBold = (): Promise<string | null | undefined> => ann.window.evaluate(() => document.querySelector("button[aria-label^=Bold]")?.getAttribute("aria-pressed"));
  await expect.poll(isBold, "bold").toBe("true");
  expect(await ann.window.evaluate(() => document.querySelector(".toast")?.textContent ?? "")).toBe("");
});

test("a workbook opens without a server, and its edits are sent once", async ({ everyday: { enter, server } }) => {
  const ann = await enter();
  await ann.types("A1", [["1"], ["=A1*10"]]);
  // The status is that of earlier edits until the last one is in the workbook.
  await ann.sees("A1", [["1"], ["10"]]);
  await ann.status("Saved");
  await ann.window.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect.poll(() => ann.window.evaluate(async () => (await caches.match("/index.html")) !== undefined), "the files are stored").toBe(true);
  await server.kill();
  await ann.status(/Offline/);
  await ann.types("A1", [["2"]]);
  await ann.types("C1", [["kept"]]);
  await ann.status("Offline · 2 changes stored on this device, not sent yet");
  await ann.window.reload();
  await ann.seesInCell("C1", "kept");
  await ann.sees("A1", [["2"], ["20"]]);
  await ann.status("Offline · 2 changes stored on this device, not sent yet");
  await server.run();
  await ann.status("Saved");
  const bob = await enter();
  await bob.sees("A1", [["2"], ["20"]]);
  await bob.seesInCell("C1", "kept");
});

test("a spreadsheet file is imported, and the workbook is downloaded", async ({ everyday }) => {
  const ann = await everyday.enter();
  await ann.window.chooseFile("input[type=file]", STOCK);
  await ann.sees("A1", [["Item", "Amount", "Price", "Total"], ["ink", "12"]]);
  await ann.seesInCell("D2", "30");
  await ann.types("B2", [["20"]]);
  await ann.seesInCell("D2", "50");
  await ann.clicks("button", "Add sheet");
  await ann.seesInCell("A1", "");
  await ann.types("A1", [["a", "b"], ["1", "2"]]);
  await ann.status("Saved");
  await ann.clicks("button", "File");
  await ann.clicks("menuitem", "Comma-separated");
  await ann.clicks("button", "Download");
  const saved = await ann.savedFile(".csv");
  expect(saved.trim().split(/\r?\n/)).toEqual(["a,b", "1,2"]);
});
