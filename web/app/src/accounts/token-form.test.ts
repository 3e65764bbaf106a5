import assert from "node:assert/strict";
import { test } from "node:test";
import { expiryMs, roomsOf } from "./token-form.ts";

const NOW_MS = new Date(2026, 10, 25, 12).getTime();

test("a token expires after days, at the end of a date, or never", () => {
  assert.equal(expiryMs("7", "", NOW_MS), NOW_MS + 7 * 86_400_000);
  assert.equal(expiryMs("unlimited", "", NOW_MS), null);
  assert.equal(expiryMs("date", "2026-12-31", NOW_MS), new Date(2027, 0, 1).getTime());
  assert.equal(expiryMs("date", "2026-11-25", NOW_MS), new Date(2026, 10, 26).getTime());
  assert.equal(expiryMs("date", "2026-11-24", NOW_MS), undefined);
  assert.equal(expiryMs("date", "", NOW_MS), undefined);
});

test("workbooks are given by name or by address", () => {
  assert.deepEqual(roomsOf("budget\nhttps://sheets.example/sales-2027?view#Sheet1\n\n /%E4%BA%88%E7%AE%97 , budget"), ["budget", "sales-2027", "予算"]);
  assert.deepEqual(roomsOf(" \n"), []);
});
