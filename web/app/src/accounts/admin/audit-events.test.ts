import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EVENTS } from "./audit-events.ts";

const SOURCE = join(import.meta.dirname, "../../../../../crates/access/src/audit.rs");

test("every event of the audit log has a name", () => {
  const [, variants = ""] = /pub enum AuditEvent \{([^}]*)\}/.exec(readFileSync(SOURCE, "utf8")) ?? [];
  const events = [...variants.matchAll(/^ {4}([A-Z]\w+),$/gm)].map(([, name = ""]) => name.replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase());
  assert.ok(events.length >= 30);
  assert.deepEqual([...EVENTS].sort(), events.sort());
});
