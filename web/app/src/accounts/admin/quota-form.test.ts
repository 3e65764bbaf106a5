import assert from "node:assert/strict";
import { test } from "node:test";
import { quotaOf } from "./quota-form.ts";

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
