import assert from "node:assert/strict";
import { test } from "node:test";
import { LINE_CONTRAST, onPaper, PaperColors, TEXT_CONTRAST } from "./theme.ts";

const dark = { isDark: true, paper: "#181d1e", ink: "#e4e9e7" };

/** Contrast ratio as defined by WCAG 2. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

test("colours reach the contrast on a dark background and are unchanged on a light one", () => {
  for (const color of [0x010101, 0x0000ff, 0x1d4a8a, 0x8f1d1d, 0x00aa00, 0xffff00, 0xffffff]) {
    for (const wanted of [LINE_CONTRAST, TEXT_CONTRAST]) {
      const displayed = onPaper(color, dark, wanted);
      assert.ok(contrast(displayed, dark.paper) >= wanted, `${displayed} for ${color.toString(16)}`);
    }
    assert.equal(onPaper(color, { ...dark, isDark: false }, TEXT_CONTRAST), `#${color.toString(16).padStart(6, "0")}`);
  }
});

test("sufficient contrast is kept, and black becomes the text colour", () => {
  assert.equal(onPaper(0xff8800, dark, TEXT_CONTRAST), "#ff8800");
  assert.equal(onPaper(0, dark, TEXT_CONTRAST), dark.ink);
});

test("cached colours belong to the current theme", () => {
  const colors = new PaperColors(TEXT_CONTRAST);
  const light = { ...dark, isDark: false };
  for (let color = 0; color < 10_000; color += 1) {
    assert.equal(colors.of(color, dark), onPaper(color, dark, TEXT_CONTRAST));
  }
  assert.equal(colors.of(1, light), "#000001");
  assert.equal(colors.of(1, dark), onPaper(1, dark, TEXT_CONTRAST));
});
