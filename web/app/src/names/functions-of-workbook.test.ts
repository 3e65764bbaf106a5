import assert from "node:assert/strict";
import { test } from "node:test";
import { roomOfText } from "./functions-of-workbook.ts";

const PAGE = "https://sheets.example.org/budget";

test("a workbook is meant by its name, its path or its address", () => {
  for (const [text, room] of [
    ["sales", "sales"],
    [" sales ", "sales"],
    ["2027 plan", "2027 plan"],
    ["/sales", "sales"],
    ["https://sheets.example.org/sales?view#sheet=Costs", "sales"],
    ["https://sheets.example.org/caf%C3%A9", "café"],
    ["https://example.org/sales", undefined],
    ["https://sheets.example.org/_account", undefined],
    ["https://sheets.example.org/", undefined],
    ["https://", undefined],
    ["_account", undefined],
    ["", undefined],
  ] as const) {
    assert.equal(roomOfText(text, PAGE), room, text);
  }
});
