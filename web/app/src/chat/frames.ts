/** The frames of a room's chat as bytes (docs/protocol.md, `crates/protocol/src/chat.rs`): they do not pass the engine. */

import { ByteReader, varint } from "@quadrille/protocol";

export interface ChatMessage {
  /** Its place in the room, from 1. */
  readonly number: number;
  /** Chosen by its author, by chance. */
  readonly id: bigint;
  readonly timeMs: number;
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
  readonly text: string;
}

/** Why something is not said, by its number in the protocol. */
const REASONS = [undefined, "forbidden", "badText", "tooFast", "notStored"] as const;
export type ChatRejectionReason = NonNullable<(typeof REASONS)[number]>;

export type ChatFrame =
  | { readonly type: "remarks"; readonly chatMessages: readonly ChatMessage[] }
  | { readonly type: "unsaid"; readonly id: bigint; readonly reason: ChatRejectionReason };

const LISTEN = 8;
const SAY = 9;
const REMARKS = 9;
const UNSAID = 10;

/** Asks for what was said after a remark, and for what will be said. */
export function listenFrame(after: number): ArrayBuffer {
  return new Uint8Array([LISTEN, ...varint(after)]).buffer;
}

export function sendMessageFrame(id: bigint, text: string): ArrayBuffer {
  const words = new TextEncoder().encode(text);
  const length = varint(words.length);
  const frame = new Uint8Array(9 + length.length + words.length);
  frame[0] = SAY;
  new DataView(frame.buffer).setBigUint64(1, id, true);
  frame.set(length, 9);
  frame.set(words, 9 + length.length);
  return frame.buffer;
}

/** Throws when these are not the bytes of such a frame. */
export function readFrame(bytes: Uint8Array): ChatFrame {
  const reader = new ByteReader(bytes);
  switch (reader.byte()) {
    case REMARKS:
      return { type: "remarks", chatMessages: Array.from({ length: reader.count() }, () => readRemark(reader)) };
    case UNSAID: {
      const id = reader.fixed64();
      const reason = REASONS[reader.byte()];
      if (reason === undefined) {
        throw new Error("an unknown reason why something is not said");
      }
      return { type: "unsaid", id, reason };
    }
    default:
      throw new Error("not a frame of the chat");
  }
}

function readRemark(reader: ByteReader): ChatMessage {
  const number = reader.varint();
  const id = reader.fixed64();
  const zigzag = reader.varint();
  const timeMs = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  const name = reader.text();
  return { number, id, timeMs, name, color: reader.varint(), text: reader.text() };
}
