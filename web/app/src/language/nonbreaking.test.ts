import assert from "node:assert/strict";
import { test } from "node:test";
import { nonBreaking } from "./nonbreaking.ts";

const AT = Date.UTC(2026, 10, 23, 8, 16);
const formatted = (language: string): string =>
  nonBreaking(new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }).formatToParts(AT));

test("dates and times are not broken across lines", () => {
  const words = (language: string): string[] => formatted(language).split(" ");
  assert.deepEqual(words("en").map((word) => word.replaceAll(/\s/g, "_")), ["Nov_23,_2026,", "8:16_AM"]);
  assert.deepEqual(words("de"), ["23.11.2026,", "08:16"]);
  assert.deepEqual(words("fr").map((word) => word.replaceAll(/\s/g, "_")), ["23_nov._2026,", "08:16"]);
  assert.deepEqual(words("zh-Hans"), ["2026\u2060年\u206011\u2060月\u206023\u2060日", "08:16"]);
});
