import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const SOURCES = resolve(import.meta.dirname, "..");

test("what opens over the page is loaded apart from it", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  const heavy = files.filter((name) => /from "@kobalte/.test(readFileSync(join(SOURCES, name), "utf8")));
  const elsewhere = heavy.filter((name) => !name.startsWith(join("components", "overlays")));
  assert.deepEqual(elsewhere, []);
  assert.ok(heavy.length > 0);
});
