import assert from "node:assert/strict";
import { test } from "node:test";
import { numberFormatName, numberFormats } from "./number-formats.ts";

// Long dates of CLDR 46.
const LANGUAGES = [
  ["en", "d mmmm yyyy", "21 November 2026", "1,234.50"],
  ["de", "d. mmmm yyyy", "21. November 2026", "1.234,50"],
  ["es", 'd "de" mmmm "de" yyyy', "21 de noviembre de 2026", "1.234,50"],
  ["ja", 'yyyy"年"m"月"d"日"', "2026年11月21日", "1,234.50"],
] as const;

for (const [language, code, example, number] of LANGUAGES) {
  test(`examples of number formats follow the conventions of ${language}`, () => {
    const formats = numberFormats(language);
    assert.deepEqual(formats.find(({ name }) => name === "Long date"), { name: "Long date", code, example });
    assert.equal(formats.find(({ name }) => name === "Number")?.example, number);
    assert.equal(numberFormatName(code), "Long date", "in every language");
  });
}

test("a custom number format has no name", () => {
  assert.equal(numberFormatName("0.000"), undefined);
  assert.equal(numberFormatName(null), "General");
});
