/** The frames of a room's chat as bytes (docs/protocol.md, `crates/protocol/src/chat.rs`): they do not pass the engine. */

export interface Remark {
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
export type UnsaidReason = NonNullable<(typeof REASONS)[number]>;

export type ChatFrame =
  | { readonly type: "remarks"; readonly remarks: readonly Remark[] }
  | { readonly type: "unsaid"; readonly id: bigint; readonly reason: UnsaidReason };

const LISTEN = 8;
const SAY = 9;
const REMARKS = 9;
const UNSAID = 10;

/** Asks for what was said after a remark, and for what will be said. */
export function listenFrame(after: number): ArrayBuffer {
  return new Uint8Array([LISTEN, ...varint(after)]).buffer;
}

export function sayFrame(id: bigint, text: string): ArrayBuffer {
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
  const reader = new Reader(bytes);
  switch (reader.byte()) {
    case REMARKS:
      return { type: "remarks", remarks: Array.from({ length: reader.count() }, () => reader.remark()) };
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

/** LEB128: seven bits a byte, lowest first. */
function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes.push((rest % 0x80) | 0x80);
  }
  return [...bytes, rest];
}

class Reader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) {
      throw new Error("a frame of the chat ends too early");
    }
    this.at += 1;
    return byte;
  }

  private varint(): number {
    let value = 0;
    for (let place = 1; ; place *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * place;
      if (byte < 0x80) {
        break;
      }
    }
    if (!Number.isSafeInteger(value)) {
      throw new Error("a number of the chat is too big");
    }
    return value;
  }

  /** No more than there are bytes left. */
  count(): number {
    const count = this.varint();
    if (count > this.bytes.length - this.at) {
      throw new Error("a frame of the chat is too short");
    }
    return count;
  }

  fixed64(): bigint {
    const { buffer, byteOffset } = this.bytes;
    const value = new DataView(buffer, byteOffset).getBigUint64(this.at, true);
    this.at += 8;
    return value;
  }

  private text(): string {
    const length = this.count();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  remark(): Remark {
    const number = this.varint();
    const id = this.fixed64();
    const zigzag = this.varint();
    const timeMs = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    const name = this.text();
    return { number, id, timeMs, name, color: this.varint(), text: this.text() };
  }
}
