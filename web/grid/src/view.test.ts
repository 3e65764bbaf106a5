import assert from "node:assert/strict";
import { test } from "node:test";
import { Axis } from "./axis.ts";
import { boxOf, cellAt, COLUMN_HEADER_HEIGHT_PX as TOP, type Frame, makeView } from "./view.ts";

const frame: Frame = {
  rows: new Axis(1_000, 20, []),
  columns: new Axis(100, 50, []),
  widthPx: 444,
  heightPx: 224,
  scrollTopPx: 0,
  scrollLeftPx: 0,
  frozenRows: 0,
  frozenColumns: 0,
  isRightToLeft: false,
  zoom: 1,
  hasHeaders: true,
};
const LEFT = 44;
const cell = (row: number, column: number) => ({ top: row, left: column, bottom: row, right: column });

test("frozen rows and columns keep their position while the others scroll", () => {
  const view = makeView({ ...frame, frozenRows: 2, frozenColumns: 1, scrollTopPx: 100, scrollLeftPx: 50 });
  assert.equal(view.panes.length, 4);
  assert.deepEqual(view.visible, { top: 7, left: 2, bottom: 14, right: 8 });
  assert.deepEqual(boxOf(view, cell(0, 0)), { x: LEFT, y: TOP, width: 50, height: 20 });
  assert.deepEqual(boxOf(view, cell(7, 2)), { x: LEFT + 50, y: TOP + 40, width: 50, height: 20 });
  assert.deepEqual(cellAt(view, LEFT + 10, TOP + 10), { row: 0, column: 0 });
  assert.deepEqual(cellAt(view, LEFT + 60, TOP + 45), { row: 7, column: 2 });
  // From a frozen row to a scrolled one: the rows between them are not visible.
  assert.equal(boxOf(view, { top: 1, bottom: 8, left: 0, right: 0 }).height, 60);
});

test("without headers the cells begin at the corner", () => {
  const view = makeView({ ...frame, hasHeaders: false });
  assert.deepEqual(boxOf(view, cell(0, 0)), { x: 0, y: 0, width: 50, height: 20 });
  assert.deepEqual(cellAt(view, 60, 25), { row: 1, column: 1 });
});

test("frozen rows that would fill the view scroll", () => {
  const view = makeView({ ...frame, frozenRows: 50 });
  assert.equal(view.frozenRows, 0);
  assert.equal(view.panes.length, 1);
});

test("a right-to-left sheet mirrors cells and hit testing", () => {
  const view = makeView({ ...frame, isRightToLeft: true, scrollLeftPx: 50, frozenColumns: 1 });
  assert.deepEqual(boxOf(view, cell(0, 0)), { x: 444 - LEFT - 50, y: TOP, width: 50, height: 20 });
  for (const column of [0, 2, 3, 5]) {
    const { x, y } = boxOf(view, cell(3, column));
    assert.deepEqual(cellAt(view, x + 25, y + 5), { row: 3, column });
  }
});
