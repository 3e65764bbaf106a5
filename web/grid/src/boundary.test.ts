import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

test("the grid imports no framework and uses no network", async () => {
  const folder = import.meta.dirname;
  for (const name of (await readdir(folder)).filter((file) => !file.endsWith(".test.ts"))) {
    const text = await readFile(join(folder, name), "utf8");
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map((match) => match[1] ?? "");
    const foreign = imports.filter((path) => !path.startsWith("./") && path !== "@quadrille/protocol");
    assert.deepEqual(foreign, [], name);
    assert.doesNotMatch(text, /\b(fetch|WebSocket|Worker|postMessage)\b\(/, name);
  }
});
