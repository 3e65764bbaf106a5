import assert from "node:assert/strict";
import { test } from "node:test";
import { markTable, readMark } from "./clipboard.ts";

const SOURCE = { token: "x1", room: 'a "room" & more', sheet: 3, range: "A1:B2" };

test("the source of a copied table is read, also when a browser has wrapped the table", () => {
  const html = markTable("<table><tbody></tbody></table>", SOURCE);
  assert.deepEqual(readMark(html), SOURCE);
  assert.deepEqual(readMark(`<html><body><!--StartFragment-->${html}<!--EndFragment--></body></html>`), SOURCE);
});

test("tables of other programs have no source", () => {
  for (const html of ["", "<table><tr><td>1</td></tr></table>", '<table data-quadrille="{}">', '<table data-quadrille="x">']) {
    assert.equal(readMark(html), undefined);
  }
});
