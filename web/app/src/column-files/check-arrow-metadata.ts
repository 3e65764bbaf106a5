/**
 * Checks the metadata of Arrow data before flechette reads it: an item of each vector is read for
 * each that its length states, and a damaged length would use up the memory of the whole page.
 *
 * Metadata are tables of FlatBuffers (<https://flatbuffers.dev/internals/>), in the messages that "Serialization
 * and Interprocess Communication" of the Arrow columnar format describes. Only what flechette reads is checked.
 */

import { Type } from "@uwdata/flechette/src/constants.js";
import { damaged } from "./column-file-error.ts";

/** Fields of a table with tables or vectors, by their positions in the virtual table. */
interface Shape {
  readonly vectors?: readonly Vector[];
  readonly tables?: readonly { readonly at: number; readonly shape: Shape }[];
}

interface Vector {
  readonly at: number;
  /** Bytes of an item. A table is an offset of 4 bytes. */
  readonly stride: number;
  readonly items?: Shape;
}

const OFFSET_BYTES = 4;
/** Bytes of a block of the footer: the position and lengths of a message. */
const BLOCK_BYTES = 24;
const FOOTER_BLOCKS: readonly number[] = [8, 10];

const METADATA: Vector = { at: 8, stride: OFFSET_BYTES };
const UNION_TYPE_IDS: Shape = { vectors: [{ at: 6, stride: 4 }] };
/** A field of the schema, without the type, whose shape depends on its kind. */
const FIELD: Shape = { vectors: [{ at: 14, stride: OFFSET_BYTES, get items() { return FIELD; } }, { ...METADATA, at: 16 }] };
const SCHEMA: Shape = { vectors: [{ at: 6, stride: OFFSET_BYTES, items: FIELD }, METADATA] };
const RECORD_BATCH: Shape = { vectors: [{ at: 6, stride: 16 }, { at: 8, stride: 16 }, { at: 12, stride: 8 }] };
const FOOTER: Shape = {
  vectors: [...FOOTER_BLOCKS.map((at) => ({ at, stride: BLOCK_BYTES })), { ...METADATA, at: 12 }],
  tables: [{ at: 6, shape: SCHEMA }],
};
/** Headers by their number in the union `MessageHeader` of `Message.fbs`: a schema, dictionary batch and record batch. */
const HEADERS: ReadonlyMap<number, Shape> = new Map([
  [1, SCHEMA],
  [2, { tables: [{ at: 6, shape: RECORD_BATCH }] }],
  [3, RECORD_BATCH],
]);

/** Throws a `ColumnFileError` if a vector of the metadata ends behind the metadata. */
export function checkFileMetadata(bytes: Uint8Array): void {
  inBounds(() => {
    const view = viewOf(bytes);
    // The file ends with the length of the footer and 6 bytes of magic.
    const lengthAt = bytes.length - 10;
    const length = view.getInt32(lengthAt, true);
    const footer = new Metadata(viewOf(bytes.subarray(Math.max(0, lengthAt - length), lengthAt)));
    footer.check(footer.root, FOOTER);
    for (const block of FOOTER_BLOCKS) {
      for (const at of footer.items(footer.root, block, BLOCK_BYTES)) {
        checkMessage(bytes, Number(footer.view.getBigInt64(at, true)));
      }
    }
  });
}

/** Throws a `ColumnFileError` if a vector of the metadata of a message ends behind them. */
export function checkStreamMetadata(bytes: Uint8Array): void {
  inBounds(() => {
    let at: number | undefined = 0;
    while (at !== undefined && at < bytes.length) {
      at = checkMessage(bytes, at);
    }
  });
}

/** Checks a message. Returns where the next one begins, or `undefined` at the end of a stream. */
function checkMessage(bytes: Uint8Array, start: number): number | undefined {
  const view = viewOf(bytes);
  // Before version 0.15, no marker was before the length.
  const isMarked = view.getInt32(start, true) === -1;
  const lengthAt = isMarked ? start + 4 : start;
  const length = view.getInt32(lengthAt, true);
  if (length === 0) {
    return undefined;
  }
  const end = lengthAt + 4 + length;
  const metadata = new Metadata(viewOf(bytes.subarray(lengthAt + 4, end)));
  const { root } = metadata;
  const kindAt = metadata.field(root, 6);
  const shape = kindAt === undefined ? undefined : HEADERS.get(metadata.view.getUint8(kindAt));
  const header = metadata.field(root, 8);
  if (shape && header !== undefined) {
    metadata.check(metadata.target(header), shape);
  }
  const bodyAt = metadata.field(root, 10);
  const body = bodyAt === undefined ? 0 : Number(metadata.view.getBigInt64(bodyAt, true));
  if (length < 0 || body < 0) {
    throw damaged(`a message of ${length} and ${body} bytes`);
  }
  return end + body;
}

/** Tables of FlatBuffers. Reading beyond their end is a `RangeError`. */
class Metadata {
  readonly view: DataView;
  /** Items of vectors that can still be in these bytes. */
  private itemsLeft: number;

  constructor(view: DataView) {
    this.view = view;
    this.itemsLeft = view.byteLength / OFFSET_BYTES;
  }

  /** The position of the first table. */
  get root(): number {
    return this.target(0);
  }

  /** The position to which the offset at `at` leads. */
  target(at: number): number {
    return at + this.view.getInt32(at, true);
  }

  /** The position of a field of a table; `undefined` if the table does not have it. */
  field(table: number, position: number): number | undefined {
    const virtual = table - this.view.getInt32(table, true);
    const size = this.view.getInt16(virtual, true);
    const offset = position < size ? this.view.getInt16(virtual + position, true) : 0;
    return offset === 0 ? undefined : table + offset;
  }

  /** The positions of the items of a vector. */
  *items(table: number, position: number, stride: number): Generator<number> {
    const field = this.field(table, position);
    if (field === undefined) {
      return;
    }
    const base = this.target(field);
    const length = this.view.getInt32(base, true);
    // Tables may be shared, but those of fields are not: without this, few bytes could state many fields.
    this.itemsLeft -= length;
    if (length < 0 || base + 4 + length * stride > this.view.byteLength || this.itemsLeft < 0) {
      throw damaged(`a vector of ${length} items`);
    }
    for (let index = 0; index < length; index += 1) {
      yield base + 4 + index * stride;
    }
  }

  check(table: number, { vectors = [], tables = [] }: Shape): void {
    for (const { at, stride, items } of vectors) {
      for (const item of this.items(table, at, stride)) {
        if (!items) {
          break;
        }
        this.checkItem(this.target(item), items);
      }
    }
    for (const { at, shape } of tables) {
      const field = this.field(table, at);
      if (field !== undefined) {
        this.check(this.target(field), shape);
      }
    }
  }

  private checkItem(table: number, shape: Shape): void {
    this.check(table, shape);
    const [kindAt, type] = [this.field(table, 8), this.field(table, 10)];
    if (shape === FIELD && kindAt !== undefined && type !== undefined && this.view.getUint8(kindAt) === Type.Union) {
      this.check(this.target(type), UNION_TYPE_IDS);
    }
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Positions outside the bytes are damage, and so are fields that contain themselves. */
function inBounds(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof RangeError ? damaged("an offset outside the metadata") : error;
  }
}
