import assert from "node:assert/strict";
import { test } from "node:test";
import { afterEdit, fontOfRange, hasFonts, plain, runsOf, type TextRun, textRuns, withFont } from "./text-runs.ts";

/** `Hello *world*`: stars around what is bold. */
function read(marked: string): { text: string; runs: readonly TextRun[] } {
  const parts = marked.split("*");
  const text = parts.join("");
  const runs = parts.map((part, at) => ({ length: part.length, font: at % 2 === 1 ? { bold: true } : {} }));
  return { text, runs: runs.filter(({ length }) => length > 0) };
}

function show(text: string, runs: readonly TextRun[]): string {
  let start = 0;
  const parts = runs.map(({ length, font }) => {
    start += length;
    const part = text.slice(start - length, start);
    return font.bold === true ? `*${part}*` : part;
  });
  assert.equal(start, text.length, "the runs cover the text");
  return parts.join("");
}

test("an edit keeps the fonts of the letters around it", () => {
  // The text before, the text after with the caret as |, and what is shown then.
  for (const [before, after, shown] of [
    ["Hello *world*", "Hello big |world", "Hello big *world*"],
    ["Hello *world*", "Hello world!|", "Hello *world!*"],
    ["Hello *world*", "Hello wor|d", "Hello *word*"],
    ["*Hello* world", "X|Hello world", "*XHello* world"],
    ["*Hello* world", "HelloX| world", "*HelloX* world"],
    ["Hello *world*", "Hello |", "Hello "],
    ["Hello *world*", "Hello people|", "Hello *people*"],
    ["Hello *world*", "|", ""],
    ["a*a*a", "aa|aa", "aa*a*a"],
    ["a*a*a", "aaa|a", "a*aa*a"],
    ["", "new|", "new"],
  ] as const) {
    const { text, runs } = read(before);
    const caret = after.indexOf("|");
    const entered = after.replace("|", "");
    assert.equal(show(entered, afterEdit(runs, text, entered, caret)), shown, `${before} → ${after}`);
  }
});

test("a font that was chosen at the caret is that of what is entered", () => {
  assert.equal(show("abc", afterEdit(plain(2), "ab", "abc", 3, { bold: true })), "ab*c*");
});

test("a font of some letters divides runs and joins equal ones", () => {
  const { text, runs } = read("Hello *world*");
  assert.equal(show(text, withFont(runs, 3, 8, { bold: true }, {})), "Hel*lo world*");
  assert.equal(withFont(runs, 0, 6, { bold: true }, {}).length, 1);
  assert.deepEqual(withFont(plain(3), 1, 2, { textColor: "#ff0000" }, {}), [
    { length: 1, font: {} },
    { length: 1, font: { textColor: "#ff0000" } },
    { length: 1, font: {} },
  ]);
});

test("a font that is the cell's is none of the letters' own", () => {
  const { runs } = read("Hello *world*");
  assert.deepEqual(withFont(runs, 6, 11, { bold: false }, {}), plain(11));
  assert.deepEqual(withFont(plain(2), 0, 2, { bold: true, italic: true }, { bold: true }), [{ length: 2, font: { italic: true } }]);
  assert.deepEqual(withFont(plain(1), 0, 1, { textColor: null }, { textColor: "#ff0000" }), [{ length: 1, font: { textColor: null } }]);
});

test("the font of a selection has what all its letters have", () => {
  const { runs } = read("Hello *world*");
  const isBold = (start: number, end: number, cell = {}): unknown => fontOfRange(runs, start, end, cell).bold;
  assert.equal(isBold(6, 11), true);
  assert.equal(isBold(5, 11), null);
  assert.equal(isBold(5, 11, { bold: true }), true);
  assert.equal(isBold(11, 11), true);
  assert.equal(isBold(6, 6), null);
});

test("the parts of a cell come and go, with an apostrophe before a text", () => {
  const parts = [
    { text: "1", format: {} },
    { text: "2", format: { bold: true } },
  ];
  const runs = runsOf("'12", parts);
  assert.equal(show("'12", runs), "'1*2*");
  assert.deepEqual(textRuns("'12", runs), parts);
  assert.equal(textRuns("12", plain(2)), null);
  assert.equal(hasFonts(runsOf("other text", parts)), false);
  assert.equal(hasFonts(runsOf("a", undefined)), false);
});
