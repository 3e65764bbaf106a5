/**
 * The frame format of LZ4, in which Arrow files have their buffers
 * (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md). The
 * library for Parquet expands single blocks only, and Arrow has blocks that refer to the ones before.
 */

import { ColumnFileError } from "./column-file-error.ts";

const MAGIC = 0x184d2204;
/** The highest bit of the length of a block: the block is not compressed. */
const PLAIN_BLOCK = 0x80000000;
/** Flags of the frame. */
const [HAS_BLOCK_SUMS, HAS_LENGTH, HAS_DICTIONARY] = [0x10, 0x08, 0x01];
/** Length of the shortest repetition in a block. */
const REPEATED_MIN = 4;

/** Expands one frame to exactly `outputLength` bytes; sums are not checked. */
export function expandLz4Frame(input: Uint8Array, outputLength: number): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  if (view.getUint32(0, true) !== MAGIC) {
    throw damaged();
  }
  const flags = view.getUint8(4);
  if (flags >> 6 !== 1 || (flags & HAS_DICTIONARY) !== 0) {
    throw new ColumnFileError("columns_not_supported", "an LZ4 frame of another version, or with a dictionary");
  }
  const output = new Uint8Array(outputLength);
  let written = 0;
  let position = 7 + ((flags & HAS_LENGTH) === 0 ? 0 : 8);
  for (;;) {
    const length = view.getUint32(position, true);
    position += 4;
    if (length === 0) {
      break;
    }
    const end = position + (length & ~PLAIN_BLOCK);
    if (end > input.length) {
      throw damaged();
    }
    const block = input.subarray(position, end);
    if ((length & PLAIN_BLOCK) === 0) {
      written = expandBlock(block, output, written);
    } else {
      output.set(block, written);
      written += block.length;
    }
    position = end + ((flags & HAS_BLOCK_SUMS) === 0 ? 0 : 4);
  }
  if (written !== outputLength) {
    throw damaged();
  }
  return output;
}

/** Expands a block to `output` from `written`, and returns where it ends. */
function expandBlock(block: Uint8Array, output: Uint8Array, written: number): number {
  let position = 0;
  const byte = (): number => {
    const next = block[position];
    if (next === undefined) {
      throw damaged();
    }
    position += 1;
    return next;
  };
  /** A length of four bits, or a longer one in the following bytes. */
  const longLength = (short: number): number => {
    let length = short;
    for (let more = short === 15 ? 255 : 0; more === 255; ) {
      more = byte();
      length += more;
    }
    return length;
  };
  let end = written;
  while (position < block.length) {
    const token = byte();
    const literals = longLength(token >> 4);
    if (position + literals > block.length || end + literals > output.length) {
      throw damaged();
    }
    output.set(block.subarray(position, position + literals), end);
    position += literals;
    end += literals;
    if (position === block.length) {
      // The last sequence has no repetition.
      break;
    }
    const distance = byte() | (byte() << 8);
    const repeated = longLength(token & 15) + REPEATED_MIN;
    if (distance === 0 || distance > end || end + repeated > output.length) {
      throw damaged();
    }
    if (distance >= repeated) {
      output.copyWithin(end, end - distance, end - distance + repeated);
      end += repeated;
    } else {
      // The repetition contains itself.
      for (const stop = end + repeated; end < stop; end += 1) {
        output[end] = output[end - distance] ?? 0;
      }
    }
  }
  return end;
}

function damaged(): ColumnFileError {
  return new ColumnFileError("bad_columns", "a damaged LZ4 frame");
}
