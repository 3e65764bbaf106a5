import assert from "node:assert/strict";
import { test } from "node:test";
import { borderOf } from "./pasted-formats.ts";

test("CSS borders of Excel, LibreOffice and Google Sheets are parsed", () => {
  assert.deepEqual(borderOf(".5pt solid windowtext"), { style: "thin" });
  assert.deepEqual(borderOf("1.0pt solid red"), { style: "medium", color: "#ff0000" });
  assert.deepEqual(borderOf("1.5pt solid black"), { style: "thick", color: "#000000" });
  assert.deepEqual(borderOf("2.0pt double windowtext"), { style: "double" });
  assert.deepEqual(borderOf(".5pt hairline windowtext"), { style: "hair" });
  assert.deepEqual(borderOf("1.0pt dot-dash windowtext"), { style: "mediumDashDot" });
  assert.deepEqual(borderOf("2px solid #0000ff"), { style: "medium", color: "#0000ff" });
  assert.deepEqual(borderOf("1px solid rgb(10, 20, 30)"), { style: "thin", color: "#0a141e" });
  assert.deepEqual(borderOf("1px hidden #00aa00"), { style: "dashed", color: "#00aa00" });
  for (const none of [undefined, "", "none", "0", "0px solid black", "medium none"]) {
    assert.equal(borderOf(none), undefined, none);
  }
});
