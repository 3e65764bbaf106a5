/** Writes ZIP archives part by part, compressed by the browser. */

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let sum = index;
  for (let bit = 0; bit < 8; bit += 1) {
    sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ 0xedb88320;
  }
  return sum;
});

/** A part that is being written: texts are compressed as they arrive. */
export class ZipPart {
  readonly name: string;
  private readonly writer: WritableStreamDefaultWriter<BufferSource>;
  private readonly reading: Promise<void>;
  private readonly encoder = new TextEncoder();
  private readonly chunks: BlobPart[] = [];
  private sum = 0xffffffff;
  /** Bytes that were written. */
  expanded = 0;
  /** Bytes that have left the compression; more may be on their way. */
  compressed = 0;

  constructor(name: string) {
    this.name = name;
    const stream = new CompressionStream("deflate-raw");
    this.writer = stream.writable.getWriter();
    this.reading = this.read(stream.readable.getReader());
  }

  /** Adds text; resolves when more can be added. */
  async write(text: string): Promise<void> {
    const bytes = this.encoder.encode(text);
    let { sum } = this;
    for (let index = 0; index < bytes.length; index += 1) {
      sum = (sum >>> 8) ^ (TABLE[(sum ^ (bytes[index] ?? 0)) & 0xff] ?? 0);
    }
    this.sum = sum;
    this.expanded += bytes.length;
    await this.writer.ready;
    // A failure also rejects `finish`, which waits for it.
    this.writer.write(bytes).catch(() => undefined);
  }

  /** Ends the part, and returns what the archive has of it. */
  async finish(): Promise<FinishedPart> {
    await this.writer.close();
    await this.reading;
    const { name, chunks, expanded, compressed } = this;
    return { name, chunks, expanded, compressed, sum: ~this.sum >>> 0 };
  }

  private async read(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      this.chunks.push(value);
      this.compressed += value.length;
    }
  }
}

/** A compressed part. */
export interface FinishedPart {
  readonly name: string;
  readonly chunks: readonly BlobPart[];
  readonly expanded: number;
  readonly compressed: number;
  /** CRC-32 of the expanded bytes. */
  readonly sum: number;
}

/** The archive with parts whose names are in ASCII (APPNOTE 6.3.10, without the extensions for 64 bits). */
export function zipArchive(parts: readonly FinishedPart[]): Blob {
  const contents: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let [offset, directoryLength] = [0, 0];
  for (const part of parts) {
    const name = new TextEncoder().encode(part.name);
    const local = header(30, 0x04034b50, 4, part, name.length);
    contents.push(local, name, ...part.chunks);
    const central = header(46, 0x02014b50, 6, part, name.length);
    central.setUint16(4, 20, true);
    central.setUint32(42, offset, true);
    directory.push(central, name);
    offset += local.byteLength + name.length + part.compressed;
    directoryLength += central.byteLength + name.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, parts.length, true);
  end.setUint16(10, parts.length, true);
  end.setUint32(12, directoryLength, true);
  end.setUint32(16, offset, true);
  return new Blob([...contents, ...directory, end]);
}

/** A header of a part, whose common fields begin at `at` in both kinds. */
function header(length: number, signature: number, at: number, part: FinishedPart, nameLength: number): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(length));
  view.setUint32(0, signature, true);
  // Version 2.0 is needed for DEFLATE, method 8.
  view.setUint16(at, 20, true);
  view.setUint16(at + 4, 8, true);
  // 1980-01-01, the first day that the format knows: the same contents give the same file.
  view.setUint16(at + 8, 0x21, true);
  view.setUint32(at + 10, part.sum, true);
  view.setUint32(at + 14, part.compressed, true);
  view.setUint32(at + 18, part.expanded, true);
  view.setUint16(at + 22, nameLength, true);
  return view;
}
