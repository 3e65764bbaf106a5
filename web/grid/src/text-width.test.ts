import assert from "node:assert/strict";
import { test } from "node:test";
import { TextWidths } from "./text-width.ts";

/** Counts what is measured; every letter is seven wide. */
function ruler(): { measured: number; measureText(text: string): TextMetrics } {
  return {
    measured: 0,
    measureText(text: string) {
      this.measured += 1;
      return { width: 7 * text.length } as TextMetrics;
    },
  };
}

test("a text that is seen again and again is measured once, whatever else comes and goes", () => {
  const widths = new TextWidths();
  const context = ruler();
  for (let turn = 0; turn < 30_000; turn += 1) {
    assert.equal(widths.width(context, "13px serif", "total"), 35);
    assert.equal(widths.width(context, "13px serif", String(turn)), 7 * String(turn).length);
  }
  assert.equal(context.measured, 30_001);
});

test("a text that nobody asked for in a while is forgotten", () => {
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

test("a font has widths of its own", () => {
  const widths = new TextWidths();
  const context = ruler();
  widths.width(context, "13px serif", "total");
  widths.width(context, "bold 13px serif", "total");
  assert.equal(context.measured, 2);
});
