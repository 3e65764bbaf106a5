import assert from "node:assert/strict";
import { test } from "node:test";
import { markTable, readMark } from "./clipboard.ts";

const SOURCE = { token: "x1", room: 'a "room" & more', sheet: 3, range: "A1:B2" };

test("our own tables are known by their mark, also when a browser has wrapped them", () => {
  const html = markTable("<table><tbody></tbody></table>", SOURCE);
  assert.deepEqual(readMark(html), SOURCE);
  assert.deepEqual(readMark(`<html><body><!--StartFragment-->${html}<!--EndFragment--></body></html>`), SOURCE);
});

test("tables of other programs have none", () => {
  for (const html of ["", "<table><tr><td>1</td></tr></table>", '<table data-quadrille="{}">', '<table data-quadrille="x">']) {
    assert.equal(readMark(html), undefined);
  }
});
