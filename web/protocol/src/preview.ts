/**
 * A room at first sight, as the server gives it before the engine has loaded: `GET /api/v1/rooms/{room}/window`.
 *
 * u32, little-endian: magic, bytes of JSON, bytes of a sheet's shape, bytes of a window; then these three, as `SheetShape` and
 * `SheetWindow` read them. Laid out by `crates/viewport/src/preview.rs`.
 */

import type { Preview } from "../generated/Preview.ts";
import { SheetShape } from "./sheet-dimensions.ts";
import { SheetWindow } from "./cell-window.ts";

const MAGIC = 0x31_57_51_00;
const HEADER_BYTES = 16;

export interface DecodedPreview {
  readonly description: Preview;
  readonly shape: SheetShape;
  readonly window: SheetWindow;
}

export function decodePreview(buffer: ArrayBuffer): DecodedPreview {
  const [magic, json = 0, shape = 0, window = 0] = new Uint32Array(buffer, 0, HEADER_BYTES / 4);
  if (magic !== MAGIC || buffer.byteLength !== HEADER_BYTES + json + shape + window) {
    throw new Error("the server and the page are of different versions");
  }
  const shapeAt = HEADER_BYTES + json;
  const windowAt = shapeAt + shape;
  const text = new TextDecoder().decode(new Uint8Array(buffer, HEADER_BYTES, json));
  return {
    // Written by the server from the type that this one is generated from.
    description: JSON.parse(text) as Preview,
    shape: new SheetShape(buffer.slice(shapeAt, windowAt)),
    window: new SheetWindow(buffer.slice(windowAt)),
  };
}
