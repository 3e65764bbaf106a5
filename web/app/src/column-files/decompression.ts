/** Decompression of the parts of Parquet and Arrow files. */

import { decompress as decompressZstd } from "fzstd";
import type { Compressors } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { setCompressionCodec } from "@uwdata/flechette/src/compression.js";
import { CompressionType } from "@uwdata/flechette/src/constants.js";
import { ColumnFileError } from "./column-file-error.ts";
import { EXPANDED_BYTES_MAX } from "./limits.ts";
import { expandLz4Frame } from "./lz4-frame.ts";

type Decompress = (input: Uint8Array, outputLength: number) => Uint8Array;

/** Limits a decompressor to the bytes that remain, and to exactly the length that the file states. */
function limited(decompress: Decompress, take: (bytes: number) => void): Decompress {
  return (input, outputLength) => {
    take(outputLength);
    const output = decompress(input, outputLength);
    if (output.length !== outputLength) {
      throw new ColumnFileError("bad_columns", `${output.length} expanded bytes instead of ${outputLength}`);
    }
    return output;
  };
}

/** Counts bytes up to the limit. */
function budget(): (bytes: number) => void {
  let left = EXPANDED_BYTES_MAX;
  return (bytes) => {
    if (!(bytes >= 0)) {
      throw new ColumnFileError("bad_columns", `a length of ${bytes} bytes`);
    }
    left -= bytes;
    if (left < 0) {
      throw new ColumnFileError("columns_too_large", `more than ${EXPANDED_BYTES_MAX} expanded bytes`);
    }
  };
}

/** The decompressors of one row group of a Parquet file. */
export function decompressors(): Compressors {
  const take = budget();
  const entries = Object.entries(compressors).map(([codec, decompress]) => [codec, limited(decompress as Decompress, take)] as const);
  return Object.fromEntries(entries);
}

/** Registers the decompressors of one Arrow file. */
export function registerDecompressors(): void {
  const take = budget();
  const encode = (): never => {
    throw new Error("nothing is compressed");
  };
  const zstd = limited((input, length) => decompressZstd(input, new Uint8Array(length)), take);
  const lz4 = limited(expandLz4Frame, take);
  setCompressionCodec(CompressionType.ZSTD, { decode: zstd, encode });
  setCompressionCodec(CompressionType.LZ4_FRAME, { decode: lz4, encode });
}
