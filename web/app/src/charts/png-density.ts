/** The density of PNG files, from which other programs compute the size of an image on a page. */

/** Length of the signature of PNG and the chunk IHDR, which is the first. */
const HEADER_BYTES = 8 + 25;
const PIXELS_PER_METER_AT_1X = 96 / 0.0254;

/**
 * A PNG file with the chunk `pHYs` (PNG specification, 11.3.4.3) for so many pixels per CSS pixel.
 * Without it, programs would show an image of twice the pixels at twice the size.
 */
export function withDensity(png: Uint8Array, pixelsPerCssPixel: number): Uint8Array {
  const chunk = new Uint8Array(4 + 4 + 9 + 4);
  const view = new DataView(chunk.buffer);
  const perMeter = Math.round(PIXELS_PER_METER_AT_1X * pixelsPerCssPixel);
  view.setUint32(0, 9);
  chunk.set(new TextEncoder().encode("pHYs"), 4);
  view.setUint32(8, perMeter);
  view.setUint32(12, perMeter);
  // The unit is the meter.
  view.setUint8(16, 1);
  view.setUint32(17, crc32(chunk.subarray(4, 17)));
  const file = new Uint8Array(png.length + chunk.length);
  file.set(png.subarray(0, HEADER_BYTES));
  file.set(chunk, HEADER_BYTES);
  file.set(png.subarray(HEADER_BYTES), HEADER_BYTES + chunk.length);
  return file;
}

/** The CRC of a chunk: ISO 3309, as in the appendix of the PNG specification. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
  }
  return ~crc >>> 0;
}
