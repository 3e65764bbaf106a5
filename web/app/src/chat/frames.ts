/**
 * Encodes and decodes the frames of the chat (docs/protocol.md, `crates/protocol/src/chat.rs`).
 * They do not pass through the engine.
 */

import { ByteReader, varint } from "@quadrille/protocol";

/** A message of the chat. */
export interface ChatMessage {
  /** Position in the chat of the room, from 1. */
  readonly number: number;
  /** Random identifier, chosen by the author. */
  readonly id: bigint;
  readonly timeMs: number;
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
  readonly text: string;
}

/** Reasons for a rejection; the index is the number in the protocol. */
const REASONS = [undefined, "forbidden", "badText", "tooFast", "notStored"] as const;
/** Why the room rejected a message. */
export type ChatRejectionReason = NonNullable<(typeof REASONS)[number]>;

/** A decoded frame of the chat. */
export type ChatFrame =
  | { readonly type: "messages"; readonly chatMessages: readonly ChatMessage[] }
  | { readonly type: "rejected"; readonly id: bigint; readonly reason: ChatRejectionReason };

const LISTEN = 8;
const SEND = 9;
const MESSAGES = 9;
const REJECTED = 10;

/** Asks for the messages after number `after`, and for all later ones. */
export function listenFrame(after: number): ArrayBuffer {
  return new Uint8Array([LISTEN, ...varint(after)]).buffer;
}

/** Sends a message. */
export function sendMessageFrame(id: bigint, text: string): ArrayBuffer {
  const encoded = new TextEncoder().encode(text);
  const length = varint(encoded.length);
  const frame = new Uint8Array(9 + length.length + encoded.length);
  frame[0] = SEND;
  new DataView(frame.buffer).setBigUint64(1, id, true);
  frame.set(length, 9);
  frame.set(encoded, 9 + length.length);
  return frame.buffer;
}

/** Decodes a frame. Throws when the bytes are not a chat frame. */
export function readFrame(bytes: Uint8Array): ChatFrame {
  const reader = new ByteReader(bytes);
  switch (reader.byte()) {
    case MESSAGES:
      return { type: "messages", chatMessages: Array.from({ length: reader.count() }, () => readMessage(reader)) };
    case REJECTED: {
      const id = reader.fixed64();
      const reason = REASONS[reader.byte()];
      if (reason === undefined) {
        throw new Error("unknown reason for the rejection of a chat message");
      }
      return { type: "rejected", id, reason };
    }
    default:
      throw new Error("not a chat frame");
  }
}

function readMessage(reader: ByteReader): ChatMessage {
  const number = reader.varint();
  const id = reader.fixed64();
  const zigzag = reader.varint();
  const timeMs = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  const name = reader.text();
  return { number, id, timeMs, name, color: reader.varint(), text: reader.text() };
}
