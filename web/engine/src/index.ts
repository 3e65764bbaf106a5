/**
 * The engine: the `replica` in WebAssembly behind about ten exported functions (`crates/wasm`).
 *
 * Everything here is synchronous and runs in the worker. Bytes cross in memory that the engine owns: input in
 * blocks from `allocate`, output in one buffer that is valid until the next call.
 */

import type { Notice, Opening, PageEvent, Query } from "@quadrille/protocol";

interface Exports {
  readonly memory: WebAssembly.Memory;
  allocate(length: number): number;
  release(pointer: number, length: number): void;
  output(): number;
  open(pointer: number, length: number): void;
  event(pointer: number, length: number, timeMs: number): void;
  frame(pointer: number, length: number, timeMs: number): void;
  evaluate(steps: number): number;
  ask(pointer: number, length: number): number;
  window(sheet: number, top: number, left: number, bottom: number, right: number, isFirst: number): number;
  look(sheet: number, top: number, left: number, bottom: number, right: number): number;
  shape(sheet: number): number;
  next_frame(): number;
  persist_due(): number;
  keep(): number;
  restore(pointer: number, length: number, isCopy: number): number;
  notices(): number;
  panic_message(): number;
}

/** What happened since the calculation was last finished. */
export interface Evaluated {
  readonly isFinished: boolean;
  /** Cells of the last window that was taken. */
  readonly viewChanged: boolean;
  /** Extent or sizes of the sheet in view. */
  readonly shapeChanged: boolean;
  readonly anythingChanged: boolean;
}

/** The engine stopped; its memory can no longer be trusted. */
export class EngineStopped extends Error {}

export class Engine {
  private readonly exports: Exports;

  private constructor(exports: Exports) {
    this.exports = exports;
  }

  static async start(module: WebAssembly.Module): Promise<Engine> {
    const instance = await WebAssembly.instantiate(module, {});
    // Read by `web/bench`: whether the memory grows over a day.
    Object.assign(globalThis, { quadrilleMemory: instance.exports["memory"] });
    // The names and types are those of crates/wasm/src/lib.rs.
    return new Engine(instance.exports as unknown as Exports);
  }

  /** Before anything else: who this is. */
  open(opening: Opening): void {
    this.guard(() => this.withBytes(encode(opening), (at, length) => this.exports.open(at, length)));
  }

  event(event: PageEvent, timeMs: number): void {
    this.guard(() => this.withBytes(encode(event), (at, length) => this.exports.event(at, length, timeMs)));
  }

  frame(bytes: Uint8Array, timeMs: number): void {
    this.guard(() => this.withBytes(bytes, (at, length) => this.exports.frame(at, length, timeMs)));
  }

  /** Works for about `steps`. What changed is told when nothing is left to calculate. */
  evaluate(steps: number): Evaluated {
    const bits = this.guard(() => this.exports.evaluate(steps));
    return {
      isFinished: (bits & 1) !== 0,
      viewChanged: (bits & 2) !== 0,
      shapeChanged: (bits & 4) !== 0,
      anythingChanged: (bits & 8) !== 0,
    };
  }

  ask(question: Query): unknown {
    return this.guard(() =>
      this.withBytes(encode(question), (at, length) => this.json(this.exports.ask(at, length))),
    );
  }

  /** One part of what is in view; the first one ends what was in view before. */
  window(sheet: number, top: number, left: number, bottom: number, right: number, isFirst: boolean): ArrayBuffer {
    return this.guard(() => this.take(this.exports.window(sheet, top, left, bottom, right, isFirst ? 1 : 0)));
  }

  /** Cells as for `window`, without their being in view. */
  look(sheet: number, top: number, left: number, bottom: number, right: number): ArrayBuffer {
    return this.guard(() => this.take(this.exports.look(sheet, top, left, bottom, right)));
  }

  shape(sheet: number): ArrayBuffer {
    return this.guard(() => this.take(this.exports.shape(sheet)));
  }

  /** The next frame to send, if there is one. */
  nextFrame(): ArrayBuffer | undefined {
    const length = this.guard(() => this.exports.next_frame());
    return length === 0 ? undefined : this.take(length);
  }

  /** Whether something is to be written down, and whether that has to be done before anything is sent. */
  persistDue(): { readonly isDue: boolean; readonly isUrgent: boolean } {
    const bits = this.guard(() => this.exports.persist_due());
    return { isDue: (bits & 1) !== 0, isUrgent: (bits & 2) !== 0 };
  }

  /** What changed since the last call, for the keeper; `undefined` when nothing did. */
  keep(): ArrayBuffer | undefined {
    const length = this.guard(() => this.exports.keep());
    return length === 0 ? undefined : this.take(length);
  }

  /** Starts where a kept copy stood; otherwise says why that is not possible, and is as before. */
  restore(kept: ArrayBuffer, isCopy: boolean): string | undefined {
    return this.guard(() =>
      this.withBytes(new Uint8Array(kept), (at, length) => {
        const failure = this.exports.restore(at, length, isCopy ? 1 : 0);
        return failure === 0 ? undefined : new TextDecoder().decode(this.take(failure));
      }),
    );
  }

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

  /** A copy of the output buffer's first `length` bytes. */
  private take(length: number): ArrayBuffer {
    const start = this.exports.output();
    return this.exports.memory.buffer.slice(start, start + length) as ArrayBuffer;
  }

  private json(length: number): unknown {
    return JSON.parse(new TextDecoder().decode(this.take(length)));
  }

  /** Turns a trap into an error that says what the engine said last. */
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
