import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, numberFormats } from "./number-formats.ts";

// Long dates as CLDR 46 has them.
const LANGUAGES = [
  ["en", "d mmmm yyyy", "21 November 2026", "1,234.50"],
  ["de", "d. mmmm yyyy", "21. November 2026", "1.234,50"],
  ["es", 'd "de" mmmm "de" yyyy', "21 de noviembre de 2026", "1.234,50"],
  ["ja", 'yyyy"年"m"月"d"日"', "2026年11月21日", "1,234.50"],
] as const;

for (const [language, code, example, number] of LANGUAGES) {
  test(`examples are written as ${language} writes them`, () => {
    const formats = numberFormats(language);
    assert.deepEqual(formats.find(({ name }) => name === "Long date"), { name: "Long date", code, example });
    assert.equal(formats.find(({ name }) => name === "Number")?.example, number);
    assert.equal(nameOf(code), "Long date", "whatever language it was chosen in");
  });
}

test("formats of one's own have no name", () => {
  assert.equal(nameOf("0.000"), undefined);
  assert.equal(nameOf(null), "General");
});
