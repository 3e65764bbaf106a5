import assert from "node:assert/strict";
import { test } from "node:test";
import { fileName } from "./download.ts";

test("the extended file name goes before the plain one", () => {
  assert.equal(fileName(`attachment; filename="sales.xlsx"`), "sales.xlsx");
  assert.equal(fileName(`attachment; filename="B_dget.csv"; filename*=UTF-8''B%C3%BCdget.csv`), "Büdget.csv");
  assert.equal(fileName(`attachment; filename="a.csv"; filename*=UTF-8''%E0%A4%A`), "a.csv");
  assert.equal(fileName("attachment"), "");
});
