/**
 * Encodes and decodes the frames about the person of this page and about access (docs/protocol.md,
 * `crates/protocol/src/access_frames.rs`). They do not pass through the engine.
 */

import { ByteReader } from "@quadrille/protocol";

/** A decoded frame. */
export type AccessFrame =
  /** Whom the server has verified; empty texts for a person without an account. */
  | { readonly type: "identified"; readonly account: string; readonly email: string }
  /** Somebody asks for access; sent to owners. */
  | { readonly type: "accessRequested" };

const IDENTIFY = 12;
const IDENTIFIED = 13;
const ACCESS_REQUESTED = 14;

/** Asks whom the server has verified. */
export function identifyFrame(): ArrayBuffer {
  return new Uint8Array([IDENTIFY]).buffer;
}

/** Decodes a frame. Throws when the bytes are not such a frame. */
export function readAccessFrame(bytes: Uint8Array): AccessFrame {
  const reader = new ByteReader(bytes);
  switch (reader.byte()) {
    case IDENTIFIED:
      return { type: "identified", account: reader.text(), email: reader.text() };
    case ACCESS_REQUESTED:
      return { type: "accessRequested" };
    default:
      throw new Error("not an access frame");
  }
}
