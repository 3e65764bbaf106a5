import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Axis } from "./axis.ts";
import { WindowPrefetch } from "./window-prefetch.ts";
import { makeView, type View } from "./view.ts";

/** 400 px of rows of 20 px, and eight columns of 50 px starting at the eleventh. */
function at(scrollTopPx: number): View {
  return makeView({
    rows: new Axis(10_000, 20, []),
    columns: new Axis(100, 50, []),
    widthPx: 444,
    heightPx: 424,
    scrollTopPx,
    scrollLeftPx: 500,
    frozenRows: 0,
    frozenColumns: 0,
    isRightToLeft: false,
    zoom: 1,
    hasHeaders: true,
  });
}

test("a fling requests the cells ahead, and the sides again when it ends", () => {
  const clock = mock.method(performance, "now", () => 0);
  const prefetch = new WindowPrefetch();
  const { left, right } = at(0).visible;
  const ask = (ms: number, scrollTopPx: number) => {
    clock.mock.mockImplementation(() => ms);
    return prefetch.next(at(scrollTopPx))?.[0];
  };
  const still = ask(0, 2_000);
  assert.ok(still && still.top <= 80 && still.bottom >= 140 && still.left === left - 4 && still.right === right + 4, "one screen height of margin");
  assert.equal(ask(20, 2_010), undefined, "a short scroll needs no request");
  // 50 rows per frame. The first frame after a pause gives the speed.
  const first = ask(1_000, 3_010);
  assert.ok(first && first.bottom >= (3_010 + 10 * 1_000) / 20, "ten frames ahead");
  assert.ok(first.top >= 140 && first.left === left - 1 && first.right === right + 1, "and a narrow margin behind and to the sides");
  for (let frame = 1; frame <= 4; frame += 1) {
    assert.equal(ask(1_000 + frame * 17, 3_010 + frame * 1_000), undefined, "no request while enough frames are left");
  }
  assert.ok(ask(1_000 + 6 * 17, 9_010), "another request before the window ends");
  assert.equal(prefetch.scrollEnded(), true);
  const rest = ask(1_400, 9_010);
  assert.ok(rest && rest.left === left - 4 && rest.right === right + 4);
  assert.equal(prefetch.scrollEnded(), false, "reported once");
  clock.mock.restore();
});
