import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Axis } from "./axis.ts";
import { Demand } from "./demand.ts";
import { makeView, type View } from "./view.ts";

/** 400 px of rows of 20, eight columns of 50 from the eleventh on. */
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
  });
}

test("a fling asks for what comes, from its first frame on; at rest for what may run in from aside as well", () => {
  const clock = mock.method(performance, "now", () => 0);
  const demand = new Demand();
  const { left, right } = at(0).visible;
  const ask = (ms: number, scrollTopPx: number) => {
    clock.mock.mockImplementation(() => ms);
    return demand.next(at(scrollTopPx))?.[0];
  };
  const still = ask(0, 2_000);
  assert.ok(still && still.top <= 80 && still.bottom >= 140 && still.left === left - 4 && still.right === right + 4, "a screen's height round it");
  assert.equal(ask(20, 2_010), undefined, "a little further nothing is missing");
  // 50 rows a frame. The first frame after a rest says how fast it is.
  const first = ask(1_000, 3_010);
  assert.ok(first && first.bottom >= (3_010 + 10 * 1_000) / 20, "ten frames ahead");
  assert.ok(first.top >= 140 && first.left === left - 1 && first.right === right + 1, "and little of what is left behind and aside");
  for (let frame = 1; frame <= 4; frame += 1) {
    assert.equal(ask(1_000 + frame * 17, 3_010 + frame * 1_000), undefined, "which lasts for a while");
  }
  assert.ok(ask(1_000 + 6 * 17, 9_010), "and is asked for again before it ends");
  assert.equal(demand.rests(), true);
  const rest = ask(1_400, 9_010);
  assert.ok(rest && rest.left === left - 4 && rest.right === right + 4);
  assert.equal(demand.rests(), false, "once");
  clock.mock.restore();
});
