import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { engineErrorText } from "./engine-errors.ts";

const CRATES = join(import.meta.dirname, "../../../../crates");

function errorText(code: string, ...values: readonly string[]): string {
  return engineErrorText({ code, values, message: "untranslated" });
}

test("every reject code of a room has its own text", () => {
  const source = readFileSync(join(CRATES, "protocol/src/frame.rs"), "utf8");
  const codes = [...source.matchAll(/RejectCode::\w+ => "([a-z_]+)"/g)].map(([, code]) => code ?? "");
  assert.ok(codes.length >= 5);
  assert.deepEqual(codes.filter((code) => errorText("refusedByServer", code, "in English").includes(code)), []);
  assert.equal(errorText("refusedByServer", "some_day", "in English"), "The server rejected the change: some_day");
});

test("the error for protected cells names them, from engine and server", () => {
  const text = errorText("refusedByServer", "forbidden", "these cells are protected: Sheet1!B2:C3");
  assert.equal(text, "These cells are protected. Sheet1!B2:C3. Remove the protection with Data → Protected cells.");
  assert.equal(errorText("refusedByServer", "forbidden", "this link does not allow changes; role: view"), "You can view this workbook but not edit it.");
});

test("errors of regular expressions have localized texts", () => {
  // Patterns and the messages of regex-lite 0.1.
  const messages = [
    ["(a", "found open group without closing ')'"],
    ["a)", "found closing ')' without matching '('"],
    ["[a", "non-empty character class has no closing bracket"],
    ["*", "uncounted repetition operator must be applied to a sub-expression"],
    ["a\\", "saw start of escape sequence, but saw end of pattern before it finished"],
    ["(?=a)", "look-around is not supported"],
    ["[z-a]", "invalid range in character class"],
  ] as const;
  assert.deepEqual(
    messages.map(([pattern, reason]) => `${pattern} ${errorText("badPattern", reason)}`),
    [
      "(a Invalid pattern: unclosed bracket.",
      "a) Invalid pattern: unmatched closing bracket.",
      "[a Invalid pattern: unclosed bracket.",
      "* Invalid pattern: incomplete repetition.",
      "a\\ Invalid pattern: unexpected end.",
      "(?=a) This pattern contains unsupported syntax.",
      "[z-a] This is not a valid pattern.",
    ],
  );
});
