import assert from "node:assert/strict";
import { test } from "node:test";
import { initialQuota, quotaOf } from "./quota-form.ts";

const EMPTY = { workbooks: "", bytes: "", sessions: "", operationsPerSecond: "", exportsPerHour: "" };

test("an empty field of a quota stands for the setting, and 0 for no limit", () => {
  assert.deepEqual(quotaOf({ ...EMPTY, workbooks: " 20 ", bytes: "0" }), {
    quota: { workbooks: 20, bytes: 0, sessions: null, operationsPerSecond: null, exportsPerHour: null },
    invalid: [],
  });
});

test("fields of a quota that are not whole numbers are named", () => {
  assert.deepEqual(quotaOf({ ...EMPTY, workbooks: "-1", bytes: "1.5", sessions: "x", exportsPerHour: "99999999999999999999" }), {
    invalid: ["workbooks", "bytes", "sessions", "exportsPerHour"],
  });
});

test("the fields of a quota begin with what was set, or with the limits that hold", () => {
  const usage = { workbooks: { used: 3, limit: 20 }, bytes: { used: 9, limit: null }, operationsPerSecond: 50 };
  assert.deepEqual(initialQuota(usage), { workbooks: 20, bytes: null, sessions: null, operationsPerSecond: 50, exportsPerHour: null });
  assert.deepEqual(initialQuota({ ...usage, stored: { workbooks: null, bytes: 7 } }), { workbooks: null, bytes: 7 });
});
