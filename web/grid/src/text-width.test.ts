import assert from "node:assert/strict";
import { test } from "node:test";
import { TextWidths } from "./text-width.ts";

/** A context in which every character is 7 pixels wide, and that counts measurements. */
function ruler(): { measured: number; measureText(text: string): TextMetrics } {
  return {
    measured: 0,
    measureText(text: string) {
      this.measured += 1;
      return { width: 7 * text.length } as TextMetrics;
    },
  };
}

test("a text in constant use is measured once", () => {
  const widths = new TextWidths();
  const context = ruler();
  for (let turn = 0; turn < 30_000; turn += 1) {
    assert.equal(widths.width(context, "13px serif", "total"), 35);
    assert.equal(widths.width(context, "13px serif", String(turn)), 7 * String(turn).length);
  }
  assert.equal(context.measured, 30_001);
});

test("an unused text is evicted", () => {
  const widths = new TextWidths();
  const context = ruler();
  widths.width(context, "13px serif", "once");
  for (let turn = 0; turn < 5_000; turn += 1) {
    widths.width(context, "13px serif", `${turn}`);
  }
  const before = context.measured;
  widths.width(context, "13px serif", "once");
  assert.equal(context.measured, before + 1);
});

test("widths are cached per font", () => {
  const widths = new TextWidths();
  const context = ruler();
  widths.width(context, "13px serif", "total");
  widths.width(context, "bold 13px serif", "total");
  assert.equal(context.measured, 2);
});
