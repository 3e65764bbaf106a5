import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const SOURCES = resolve(import.meta.dirname, "..");

test("only components/overlays imports Kobalte", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  const importers = files.filter((name) => /from "@kobalte/.test(readFileSync(join(SOURCES, name), "utf8")));
  const elsewhere = importers.filter((name) => !name.startsWith(join("components", "overlays")));
  assert.deepEqual(elsewhere, []);
  assert.ok(importers.length > 0);
});
