/**
 * Encodes and decodes the frames about the person of this page and about access (docs/protocol.md,
 * `crates/protocol/src/access_frames.rs`). They do not pass through the engine.
 */

import { ByteReader, fixed64 } from "@quadrille/protocol";

/** A decoded frame. */
export type AccessFrame =
  /** Whom the server has verified; empty texts for a person without an account. */
  | { readonly type: "identified"; readonly account: string; readonly email: string }
  /** Somebody asks for access; sent to owners. */
  | { readonly type: "accessRequested" }
  /** The picture of a session, `undefined` for the own one; an empty URL is none. */
  | { readonly type: "picture"; readonly of: string | undefined; readonly url: string };

const IDENTIFY = 12;
const ASK_PICTURE = 13;
const IDENTIFIED = 13;
const ACCESS_REQUESTED = 14;
const PICTURE = 15;

/** Asks whom the server has verified. */
export function identifyFrame(): ArrayBuffer {
  return new Uint8Array([IDENTIFY]).buffer;
}

/** Asks for the picture of a session, or for the own one. */
export function askPictureFrame(session: string | undefined): ArrayBuffer {
  return new Uint8Array(session === undefined ? [ASK_PICTURE, 0] : [ASK_PICTURE, 1, ...fixed64(BigInt(session))]).buffer;
}

/** Decodes a frame. Throws when the bytes are not such a frame. */
export function readAccessFrame(bytes: Uint8Array): AccessFrame {
  const reader = new ByteReader(bytes);
  switch (reader.byte()) {
    case IDENTIFIED:
      return { type: "identified", account: reader.text(), email: reader.text() };
    case ACCESS_REQUESTED:
      return { type: "accessRequested" };
    case PICTURE:
      return { type: "picture", of: reader.byte() === 1 ? reader.fixed64().toString() : undefined, url: reader.text() };
    default:
      throw new Error("not an access frame");
  }
}
