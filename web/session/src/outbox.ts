/**
 * Frames on their way to the server. Where a keeper writes down what waits, a frame leaves only when what it says
 * is written: a page that comes back must know what it has said.
 */

import type { Engine } from "@quadrille/engine";
import type { ReplicaStore } from "./replica-store.ts";

export interface OutboxListener {
  send(frame: ArrayBuffer): void;
  /** Whether every unsent change is written down. */
  persisted(isKept: boolean): void;
}

/** What others did is written down together; without it the server would tell it again. */
const LAZY_MS = 1_000;

export class Outbox {
  private readonly engine: Engine;
  private readonly listener: OutboxListener;
  private store: ReplicaStore | undefined;
  private frames: ArrayBuffer[] = [];
  private isWriting = false;
  /** How many of the frames say what the write under way holds. */
  private covered = 0;
  private isPersisted = false;
  private lazyTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: Engine, keeper: ReplicaStore | undefined, listener: OutboxListener) {
    this.engine = engine;
    this.store = keeper;
    this.listener = listener;
  }

  dispose(): void {
    clearTimeout(this.lazyTimer);
    this.store = undefined;
  }

  /** The connection they were meant for is gone; the engine says them again on the next. */
  clear(): void {
    this.frames = [];
    this.covered = 0;
    // From now on this browser's copy may be all there is.
    this.write();
  }

  /** Takes the engine's frames and sends what may be sent. */
  sendOn(): void {
    for (let frame = this.engine.nextFrame(); frame; frame = this.engine.nextFrame()) {
      this.frames.push(frame);
    }
    const due = this.store ? this.engine.persistDue() : { isDue: false, isUrgent: false };
    if (!due.isUrgent && !this.isWriting) {
      this.frames.splice(0).forEach((frame) => this.listener.send(frame));
    }
    this.tell(this.store !== undefined && !due.isUrgent && !this.isWriting);
    if (due.isUrgent) {
      this.write();
    } else if (due.isDue) {
      this.lazyTimer ??= setTimeout(() => this.write(), LAZY_MS);
    }
  }

  private write(): void {
    if (this.isWriting || !this.store) {
      return;
    }
    clearTimeout(this.lazyTimer);
    this.lazyTimer = undefined;
    const delta = this.engine.keep();
    if (!delta) {
      return;
    }
    this.covered = this.frames.length;
    this.isWriting = true;
    this.store
      .write(delta)
      .catch((error: unknown) => {
        // The disk is full or the browser took the storage away: go on without a memory.
        console.warn("quadrille: nothing more is kept in this browser:", error);
        this.store = undefined;
      })
      .finally(() => {
        this.isWriting = false;
        this.frames.splice(0, this.covered).forEach((frame) => this.listener.send(frame));
        this.sendOn();
      });
  }

  private tell(isKept: boolean): void {
    if (isKept !== this.isPersisted) {
      this.isPersisted = isKept;
      this.listener.persisted(isKept);
    }
  }
}
