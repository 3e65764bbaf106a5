import assert from "node:assert/strict";
import { test } from "node:test";
import { literalReplacement, similarPattern } from "./similar-text.ts";

/** Whether the whole text matches. */
function matches(search: string, text: string): boolean {
  return new RegExp(`^(?:${similarPattern(search)})$`, "u").test(text);
}

const LETTERS = ["a", "b", "x"];

/** All texts with one insertion, deletion, replacement or exchange of neighbours. */
function withOneError(word: string): Set<string> {
  const found = new Set<string>([word]);
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    found.add(before + after.slice(1));
    for (const letter of LETTERS) {
      found.add(before + letter + after);
      found.add(before + letter + after.slice(1));
    }
    if (after.length >= 2) {
      found.add(before + String(after[1]) + String(after[0]) + after.slice(2));
    }
  }
  return found;
}

test("each word may have one error, and no more", () => {
  for (const word of ["abba", "babab", "aaaa"]) {
    const near = withOneError(word);
    const twice = new Set([...near].flatMap((one) => [...withOneError(one)]));
    for (const text of twice) {
      // At the end, any letter may be added.
      assert.equal(matches(word, text), near.has(text), `${word} ${text}`);
    }
  }
  assert.ok(matches("recieve paymnt", "receive  payment"));
  assert.ok(!matches("recieve paymnt", "recve payment"));
});

test("short words, long words and special characters are searched as they are", () => {
  assert.equal(similarPattern("Oslo NO"), `${similarPattern("Oslo")}\\s+NO`);
  assert.ok(matches("a.b (c)", "a.b (c)"));
  assert.ok(!matches("a.b", "axb"));
  const long = "x".repeat(31);
  assert.equal(similarPattern(long), long);
  // Too many words for one expression.
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
  assert.equal(similarPattern(words), words.replaceAll(" ", "\\s+"));
});

test("dollar signs of a replacement are written as they are", () => {
  assert.equal("x".replace(/x/, literalReplacement("$1 & $&")), "$1 & $&");
});
