import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenRule, isEmail, isUrl, type Limit, type Rules } from "./rules.ts";

function rules(text: string, changed: Partial<Rules> = {}): Rules {
  return { text, isRequired: false, required: "required", kind: "text", invalid: "invalid", isUnreadable: false, ...changed };
}

function limit(operator: string, first?: string, second?: string, changed: Partial<Limit> = {}): Limit {
  return { operator, first, second, isLength: false, isWhole: false, message: "limit", ...changed };
}

test("blank answers break only the rule that they are required", () => {
  assert.equal(brokenRule(rules("", { isRequired: true })), "required");
  assert.equal(brokenRule(rules("", { kind: "number", limit: limit("greater", "5") })), undefined);
  assert.equal(brokenRule(rules("", { kind: "number", isUnreadable: true })), "invalid");
});

test("limits are those of data validation", () => {
  const number = (text: string, of: Limit) => brokenRule(rules(text, { kind: "number", limit: of }));
  assert.equal(number("5", limit("between", "1", "5")), undefined);
  assert.equal(number("10", limit("between", "1", "5")), "limit");
  assert.equal(number("10", limit("between", "9")), undefined);
  assert.equal(number("3", limit("notBetween", "1", "5")), "limit");
  assert.equal(number("1.5", limit("between", undefined, undefined, { isWhole: true })), "limit");
  assert.equal(number("x", limit("between")), "invalid");
  const date = (text: string) => brokenRule(rules(text, { kind: "date", limit: limit("greaterOrEqual", "2026-11-26") }));
  assert.deepEqual([date("2026-11-25"), date("2026-11-26")], ["limit", undefined]);
  const length = (text: string) => brokenRule(rules(text, { limit: limit("lessOrEqual", "2", undefined, { isLength: true }) }));
  assert.deepEqual([length("😀😀"), length("abc")], [undefined, "limit"]);
});

test("addresses are accepted as data validation accepts them", () => {
  const emails = ["ada@example.org", "ada@example", "ada@.org", "a b@example.org", "@example.org", "a@b@c.org"];
  assert.deepEqual(emails.map(isEmail), [true, false, false, false, false, false]);
  const urls = ["example.org", "https://example.org/a b", "https://example.org/a?b#c", "ftp://example.org", "javascript://x", "HTTP://EXAMPLE.ORG:80", "http://localhost:8000", "localhost"];
  assert.deepEqual(urls.map(isUrl), [true, false, true, false, false, true, true, false]);
});

test("files are checked by their name and size", () => {
  const file = (name: string, bytes: number) => brokenRule(rules(name, { kind: "file", file: { bytes, bytesMax: 10, extensions: [".pdf", ".png"], tooLarge: "large", empty: "empty" } }));
  assert.deepEqual([file("CV.PDF", 10), file("cv.pdf", 11), file("cv.pdf", 0), file("cv.exe", 1), file("pdf", 1)], [undefined, "large", "empty", "invalid", "invalid"]);
});
