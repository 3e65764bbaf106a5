import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, inflateRawSync } from "node:zlib";
import type { Cell } from "./cell-values.ts";
import { WorkbookWriter } from "./write-workbook.ts";

interface Part {
  readonly text: string;
  readonly compressed: number;
}

/** The parts of an archive, found by its directory; checks their lengths and sums. */
async function partsOf(archive: Blob): Promise<Readonly<Record<string, Part>>> {
  const bytes = Buffer.from(await archive.arrayBuffer());
  const end = bytes.length - 22;
  assert.equal(bytes.readUInt32LE(end), 0x06054b50);
  const parts: Record<string, Part> = {};
  let entry = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    assert.equal(bytes.readUInt32LE(entry), 0x02014b50);
    const [sum, compressed, expanded] = [bytes.readUInt32LE(entry + 16), bytes.readUInt32LE(entry + 20), bytes.readUInt32LE(entry + 24)];
    const [nameLength, local] = [bytes.readUInt16LE(entry + 28), bytes.readUInt32LE(entry + 42)];
    const name = bytes.toString("latin1", entry + 46, entry + 46 + nameLength);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(start, start + compressed));
    assert.equal(content.length, expanded);
    assert.equal(crc32(content), sum);
    parts[name] = { text: content.toString("utf8"), compressed };
    entry += 46 + nameLength;
  }
  return parts;
}

async function written(columns: number, formats: readonly (string | undefined)[], rows: Iterable<readonly Cell[]>): Promise<Readonly<Record<string, Part>>> {
  const list = Array.from({ length: columns }, (_, index) => ({ isFormatted: formats[index] !== undefined, width: index === 1 ? 19 : undefined }));
  const writer = new WorkbookWriter("a & b", list);
  for (const row of rows) {
    await writer.row(row);
  }
  return partsOf(await writer.finish(formats));
}

const SHEET = "xl/worksheets/sheet1.xml";

test("cells have the types and formats of ECMA-376, and addresses behind gaps", async () => {
  const parts = await written(3, [undefined, "yyyy-mm-dd", undefined], [
    ["n", "day", "x"],
    [1.5, 45351, true],
    [undefined, undefined, "a<b> & _x0041_ \u0001\r\n"],
    [undefined, undefined, undefined],
  ]);
  const sheet = parts[SHEET]?.text ?? "";
  assert.match(sheet, /<cols><col min="2" max="2" width="19" customWidth="1"\/><\/cols><sheetData>/);
  const rows = [...sheet.matchAll(/<row>.*?<\/row>/gs)].map(([row]) => row);
  assert.deepEqual(rows, [
    '<row><c t="str"><v>n</v></c><c t="str"><v>day</v></c><c t="str"><v>x</v></c></row>',
    '<row><c><v>1.5</v></c><c s="2"><v>45351</v></c><c t="b"><v>1</v></c></row>',
    '<row><c r="B3" s="2"/><c t="str"><v>a&lt;b&gt; &amp; _x005F_x0041_ _x0001__x000D_\n</v></c></row>',
    '<row><c r="B4" s="2"/></row>',
  ]);
  assert.match(parts["xl/styles.xml"]?.text ?? "", /<numFmt numFmtId="165" formatCode="yyyy-mm-dd"\/>.*<cellXfs count="4"><xf\/><xf\/><xf numFmtId="165" applyNumberFormat="1"\/><xf\/><\/cellXfs>/);
  assert.match(parts["xl/workbook.xml"]?.text ?? "", /<sheet name="a &amp; b" sheetId="1" r:id="rId1"\/>/);
});

test("a sheet of equal cells does not expand more than servers accept", async () => {
  function* rows(): Generator<readonly Cell[]> {
    for (let row = 0; row < 200_000; row += 1) {
      yield [1, 1, 1];
    }
  }
  const { text, compressed } = (await written(3, [], rows()))[SHEET] ?? { text: "", compressed: 0 };
  // Without the comment at the end, the ratio would be above the 200 that the server accepts.
  assert.ok(text.length > 1 << 20);
  assert.ok(text.length / compressed < 190, `${text.length} / ${compressed}`);
  assert.match(text, /<\/worksheet><!--[\w+/=]+-->$/);
});
