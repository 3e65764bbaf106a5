/**
 * Encodes and decodes the frames for following (docs/protocol.md,
 * `crates/protocol/src/following.rs`). They do not pass through the engine.
 */

import type { Cell } from "@quadrille/grid";
import { ByteReader, fixed64, varint } from "@quadrille/protocol";

/** A decoded frame. */
export type FollowFrame =
  | { readonly type: "followed"; readonly isFollowed: boolean }
  /** `cell` is the first visible cell of the scrolling part. */
  | { readonly type: "scrolled"; readonly session: string; readonly sheet: number; readonly cell: Cell };

const FOLLOW = 10;
const SCROLLED = 11;
const FOLLOWED = 11;
const SCROLLED_TO = 12;

/** Asks for the scroll position of a person, or of nobody. */
export function followFrame(session: string | undefined): ArrayBuffer {
  return new Uint8Array(session === undefined ? [FOLLOW, 0] : [FOLLOW, 1, ...fixed64(BigInt(session))]).buffer;
}

/** Sends the own scroll position. */
export function scrolledFrame(sheet: number, { row, column }: Cell): ArrayBuffer {
  return new Uint8Array([SCROLLED, ...varint(sheet), ...varint(row), ...varint(column)]).buffer;
}

/** Decodes a frame. Throws when the bytes are not a follow frame. */
export function readFollowFrame(bytes: Uint8Array): FollowFrame {
  const reader = new ByteReader(bytes);
  switch (reader.byte()) {
    case FOLLOWED:
      return { type: "followed", isFollowed: reader.byte() === 1 };
    case SCROLLED_TO:
      return {
        type: "scrolled",
        session: reader.fixed64().toString(),
        sheet: reader.varint(),
        cell: { row: reader.varint(), column: reader.varint() },
      };
    default:
      throw new Error("not a follow frame");
  }
}
