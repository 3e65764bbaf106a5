import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { withDensity } from "./png-density.ts";

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, crc]);
}

/** One white pixel. */
const PNG = Buffer.concat([
  Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk("IDAT", deflateSync(Buffer.from([0, 255]))),
  chunk("IEND", Buffer.alloc(0)),
]);

test("the density of a PNG file stands before its pixels", () => {
  const file = Buffer.from(withDensity(PNG, 2));
  // 192 pixels per inch are 7,559 per meter.
  const density = Buffer.from([0, 0, 0x1d, 0x87, 0, 0, 0x1d, 0x87, 1]);
  assert.deepEqual(file, Buffer.concat([PNG.subarray(0, 33), chunk("pHYs", density), PNG.subarray(33)]));
});
