import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOSS_KINDS } from "../language/index.ts";
import { bySheet, type Loss, lossPlaces, lossText } from "./losses.ts";

function loss(kind: string, count: number, ...places: readonly (readonly [name: string, ...ranges: string[]])[]): Loss {
  return { kind, text: `left out: ${kind}`, sheet: "Sheet1", places: places.map(([name, ...ranges]) => ({ name, ranges })), count };
}

test("places have names, ranges or both", () => {
  assert.deepEqual(lossPlaces(loss("charts", 2, ["Sold", "D1"], ["", "H1"])), ["Sold (D1)", "H1"]);
  assert.deepEqual(lossPlaces(loss("otherSheets", 1, ["Plan"])), ["Plan"]);
  assert.deepEqual(lossPlaces(loss("conditionalFormats", 1, ["", "A1:B5", "D2"])), ["A1:B5, D2"]);
  assert.deepEqual(lossPlaces(loss("frozenPanes", 1)), []);
});

test("a list that is not complete ends with dots", () => {
  assert.deepEqual(lossPlaces(loss("notes", 30, ["", "A1"], ["", "A2"])), ["A1", "A2", "…"]);
  assert.deepEqual(lossPlaces(loss("formulas", 20, ["", "B1:B20"])), ["B1:B20"]);
  assert.deepEqual(lossPlaces(loss("formulas", 21, ["", "B1:B20"])), ["B1:B20", "…"]);
});

test("losses are listed by sheet, and unknown kinds in the words of the server", () => {
  const losses = [{ ...loss("names", 1, ["Tax"]), sheet: null }, loss("notes", 1, ["", "A1"]), loss("links", 1, ["", "A1"])];
  assert.deepEqual(bySheet(losses).map(({ sheet, losses: own }) => [sheet, own.map(lossText)]), [
    [null, ["Named ranges"]],
    ["Sheet1", ["Notes", "Links"]],
  ]);
  assert.equal(lossText(loss("other", 1)), "left out: other");
});

test("every kind of the server has a text", () => {
  const source = readFileSync(join(import.meta.dirname, "../../../../crates/files/src/losses/loss.rs"), "utf8");
  const kinds = [...source.matchAll(/^ {4}[A-Z]\w+ "(\w+)" "/gm)].map(([, kind]) => kind);
  assert.deepEqual(Object.keys(LOSS_KINDS), kinds.filter((kind) => kind !== "other"));
});
