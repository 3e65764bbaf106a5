/**
 * The queue of frames to the server. If there is a replica store, a frame is sent only after its
 * transaction is stored, because a reopened client must know which transactions it has sent.
 */

import type { Engine } from "@quadrille/engine";
import type { ReplicaStore } from "./replica-store.ts";

/** Sends frames and reports whether changes are stored. */
export interface OutboxListener {
  send(frame: ArrayBuffer): void;
  /** Whether all unacknowledged changes are stored. */
  persisted(isPersisted: boolean): void;
}

/**
 * Delay of writing remote changes, which are batched: if they are lost, the server sends them
 * again.
 */
const LAZY_MS = 1_000;

/** Takes frames from the engine, stores their transactions and sends them in order. */
export class Outbox {
  private readonly engine: Engine;
  private readonly listener: OutboxListener;
  private store: ReplicaStore | undefined;
  private frames: ArrayBuffer[] = [];
  private isWriting = false;
  /** Number of queued frames whose transactions are part of the current write. */
  private covered = 0;
  private isPersisted = false;
  private lazyTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(engine: Engine, store: ReplicaStore | undefined, listener: OutboxListener) {
    this.engine = engine;
    this.store = store;
    this.listener = listener;
  }

  dispose(): void {
    clearTimeout(this.lazyTimer);
    this.store = undefined;
  }

  /** Drops queued frames after a disconnect; the engine sends them again on the next connection. */
  clear(): void {
    this.frames = [];
    this.covered = 0;
    // The stored copy may be the only one until the next connection.
    this.write();
  }

  /** Queues the engine's frames and sends those that may be sent. */
  flush(): void {
    for (let frame = this.engine.nextFrame(); frame; frame = this.engine.nextFrame()) {
      this.frames.push(frame);
    }
    const due = this.store ? this.engine.persistDue() : { isDue: false, isUrgent: false };
    if (!due.isUrgent && !this.isWriting) {
      this.frames.splice(0).forEach((frame) => this.listener.send(frame));
    }
    this.reportPersisted(this.store !== undefined && !due.isUrgent && !this.isWriting);
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
    const delta = this.engine.takeDelta();
    if (!delta) {
      return;
    }
    this.covered = this.frames.length;
    this.isWriting = true;
    this.store
      .write(delta)
      .catch((error: unknown) => {
        // The disk is full or the browser removed the storage: continue without persistence.
        console.warn("quadrille: changes are no longer stored in this browser:", error);
        this.store = undefined;
      })
      .finally(() => {
        this.isWriting = false;
        this.frames.splice(0, this.covered).forEach((frame) => this.listener.send(frame));
        this.flush();
      });
  }

  private reportPersisted(isPersisted: boolean): void {
    if (isPersisted !== this.isPersisted) {
      this.isPersisted = isPersisted;
      this.listener.persisted(isPersisted);
    }
  }
}
