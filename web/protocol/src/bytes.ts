/** Bytes as the frames that a page reads and writes itself hold them (docs/protocol.md). */

/** LEB128: seven bits a byte, lowest first. */
export function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes.push((rest % 0x80) | 0x80);
  }
  return [...bytes, rest];
}

export function fixed64(value: bigint): readonly number[] {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return [...bytes];
}

/** Throws when there is less than what is read. */
export class ByteReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) {
      throw new Error("a frame ends too early");
    }
    this.at += 1;
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let place = 1; ; place *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * place;
      if (byte < 0x80) {
        break;
      }
    }
    if (!Number.isSafeInteger(value)) {
      throw new Error("a number in a frame is too big");
    }
    return value;
  }

  /** No more than there are bytes left. */
  count(): number {
    const count = this.varint();
    if (count > this.bytes.length - this.at) {
      throw new Error("a frame is too short");
    }
    return count;
  }

  fixed64(): bigint {
    const { buffer, byteOffset } = this.bytes;
    const value = new DataView(buffer, byteOffset, this.bytes.length).getBigUint64(this.at, true);
    this.at += 8;
    return value;
  }

  text(): string {
    const length = this.count();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
}
