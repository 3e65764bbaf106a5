/**
 * The engine: crate `replica` as WebAssembly, called through the functions that `crates/wasm`
 * exports.
 *
 * All calls are synchronous and run in the worker. Bytes are exchanged in the engine's memory:
 * input in blocks from `allocate`, output in one buffer that is valid until the next call.
 */

import type { Notice, Opening, ClientEvent, Query } from "@quadrille/protocol";

interface Exports {
  readonly memory: WebAssembly.Memory;
  allocate(length: number): number;
  release(pointer: number, length: number): void;
  output(): number;
  open(pointer: number, length: number): void;
  event(pointer: number, length: number, timeMs: number): void;
  frame(pointer: number, length: number, timeMs: number): void;
  evaluate(steps: number): number;
  query(pointer: number, length: number): number;
  window(sheet: number, top: number, left: number, bottom: number, right: number, isFirst: number): number;
  window_of_rows(pointer: number, length: number, sheet: number, top: number, left: number, bottom: number, right: number, isFirst: number): number;
  detached_window(sheet: number, top: number, left: number, bottom: number, right: number): number;
  sheet_dimensions(sheet: number): number;
  next_frame(): number;
  persistence_due(): number;
  take_persisted(): number;
  restore(pointer: number, length: number, isCopy: number): number;
  notices(): number;
  panic_message(): number;
}

/** Result of `evaluate`; the changes are those since the calculation last finished. */
export interface Evaluated {
  readonly isFinished: boolean;
  /** Cells of the current view changed. */
  readonly viewChanged: boolean;
  /** Extent or sizes of the viewed sheet changed. */
  readonly shapeChanged: boolean;
  readonly anythingChanged: boolean;
}

/** The engine panicked; its memory is no longer consistent. */
export class EngineStopped extends Error {}

/** One instance of the engine. Every method throws `EngineStopped` after a panic. */
export class Engine {
  private readonly exports: Exports;

  private constructor(exports: Exports) {
    this.exports = exports;
  }

  /** Instantiates the module. */
  static async start(module: WebAssembly.Module): Promise<Engine> {
    const instance = await WebAssembly.instantiate(module, {});
    // `web/bench` reads it to measure the growth of memory.
    Object.assign(globalThis, { quadrilleMemory: instance.exports["memory"] });
    // The names and types are those of crates/wasm/src/lib.rs.
    return new Engine(instance.exports as unknown as Exports);
  }

  /** Sets name, colour and random seed. Call it before any other method. */
  open(opening: Opening): void {
    this.guard(() => this.withBytes(encode(opening), (at, length) => this.exports.open(at, length)));
  }

  /** Applies an event of the client. */
  event(event: ClientEvent, timeMs: number): void {
    this.guard(() => this.withBytes(encode(event), (at, length) => this.exports.event(at, length, timeMs)));
  }

  /** Applies a frame of the server. */
  frame(bytes: Uint8Array, timeMs: number): void {
    this.guard(() => this.withBytes(bytes, (at, length) => this.exports.frame(at, length, timeMs)));
  }

  /** Calculates for about `steps` steps. Changes are reported once the calculation has finished. */
  evaluate(steps: number): Evaluated {
    const bits = this.guard(() => this.exports.evaluate(steps));
    return {
      isFinished: (bits & 1) !== 0,
      viewChanged: (bits & 2) !== 0,
      shapeChanged: (bits & 4) !== 0,
      anythingChanged: (bits & 8) !== 0,
    };
  }

  /** Result of a query. */
  query(query: Query): unknown {
    return this.guard(() =>
      this.withBytes(encode(query), (at, length) => this.json(this.exports.query(at, length))),
    );
  }

  /** Cell window of one range of the view. The first range replaces the previous view. */
  window(sheet: number, top: number, left: number, bottom: number, right: number, isFirst: boolean): ArrayBuffer {
    return this.guard(() => this.take(this.exports.window(sheet, top, left, bottom, right, isFirst ? 1 : 0)));
  }

  /** Like `window`, with these rows of the range in their order. */
  windowOfRows(rows: readonly number[], sheet: number, top: number, left: number, bottom: number, right: number, isFirst: boolean): ArrayBuffer {
    const bytes = new Uint8Array(Uint32Array.from(rows).buffer);
    return this.guard(() =>
      this.withBytes(bytes, (at, length) => this.take(this.exports.window_of_rows(at, length, sheet, top, left, bottom, right, isFirst ? 1 : 0))),
    );
  }

  /** Cell window of a range that does not become part of the view. */
  look(sheet: number, top: number, left: number, bottom: number, right: number): ArrayBuffer {
    return this.guard(() => this.take(this.exports.detached_window(sheet, top, left, bottom, right)));
  }

  /** Sizes and extent of a sheet. */
  shape(sheet: number): ArrayBuffer {
    return this.guard(() => this.take(this.exports.sheet_dimensions(sheet)));
  }

  /** The next frame to send, if there is one. */
  nextFrame(): ArrayBuffer | undefined {
    const length = this.guard(() => this.exports.next_frame());
    return length === 0 ? undefined : this.take(length);
  }

  /** Whether there is a delta to store, and whether it must be stored before frames are sent. */
  persistDue(): { readonly isDue: boolean; readonly isUrgent: boolean } {
    const bits = this.guard(() => this.exports.persistence_due());
    return { isDue: (bits & 1) !== 0, isUrgent: (bits & 2) !== 0 };
  }

  /** Changes since the last call, for the replica store; `undefined` if there are none. */
  takeDelta(): ArrayBuffer | undefined {
    const length = this.guard(() => this.exports.take_persisted());
    return length === 0 ? undefined : this.take(length);
  }

  /** Restores a stored replica. On failure, returns the reason and leaves the engine unchanged. */
  restore(kept: ArrayBuffer, isCopy: boolean): string | undefined {
    return this.guard(() =>
      this.withBytes(new Uint8Array(kept), (at, length) => {
        const failure = this.exports.restore(at, length, isCopy ? 1 : 0);
        return failure === 0 ? undefined : new TextDecoder().decode(this.take(failure));
      }),
    );
  }

  /** Takes the pending notices. */
  notices(): readonly Notice[] {
    return this.guard(() => this.json(this.exports.notices())) as readonly Notice[];
  }

  private withBytes<Result>(bytes: Uint8Array, use: (pointer: number, length: number) => Result): Result {
    const pointer = this.exports.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
    const result = use(pointer, bytes.length);
    this.exports.release(pointer, bytes.length);
    return result;
  }

  /** Copies the first `length` bytes of the output buffer. */
  private take(length: number): ArrayBuffer {
    const start = this.exports.output();
    return this.exports.memory.buffer.slice(start, start + length) as ArrayBuffer;
  }

  private json(length: number): unknown {
    return JSON.parse(new TextDecoder().decode(this.take(length)));
  }

  /** Turns a WebAssembly trap into `EngineStopped` with the panic message. */
  private guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        const message = new TextDecoder().decode(this.take(this.exports.panic_message()));
        throw new EngineStopped(message || error.message);
      }
      throw error;
    }
  }
}

function encode(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}
