/**
 * Runs the unit tests in one process: `npm test`, or `npm test -- clipboard` for the files whose path
 * contains a word. A process for each file took five times the processor time.
 */

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const web = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const folders = readdirSync(web, { withFileTypes: true }).filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
const files = folders
  .flatMap(({ name }) => readdirSync(join(web, name), { recursive: true, encoding: "utf8" }).map((file) => join(name, file)))
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules") && words.every((word) => file.includes(word)))
  .sort();
if (files.length === 0) throw new Error(`no unit test has ${words.join(" and ")} in its path`);
for (const file of files) await import(pathToFileURL(join(web, file)).href);
