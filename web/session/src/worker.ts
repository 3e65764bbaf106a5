/**
 * The worker with the connection and the engine. It passes frames between them unread, except chat
 * and following frames, which belong to the main thread.
 *
 * Each run applies all waiting frames, then calculates in slices between which new messages are
 * handled, then posts windows. The next windows are posted after the last ones were painted, so
 * that a hidden or slow page is at most one window behind.
 */

import { Engine, type Evaluated } from "@quadrille/engine";
import { isForPage, isSubmission, type Notice, type ClientEvent } from "@quadrille/protocol";
import { RoomConnection } from "./connection.ts";
import { ReplicaStore, type Start } from "./replica-store.ts";
import { type FromWorker, isChange, type OpenMessage, type ToWorker, type ViewPart } from "./worker-messages.ts";
import { Outbox } from "./outbox.ts";
import { EvaluationSlice } from "./evaluation-slice.ts";
import { nowMs, Trace } from "./trace.ts";

/**
 * Longer calculations are reported to the main thread, which keeps showing the last finished state.
 */
const CALCULATION_SHOWN_MS = 150;
/** Interval of engine ticks, at which presence is sent. */
const TICK_MS = 100;
/** Interval of pings, which detect a dead connection. */
const PING_MS = 8_000;

type Post = (message: FromWorker, transfer?: Transferable[]) => void;

class Worker {
  private readonly engine: Engine;
  private readonly post: Post;
  private readonly connection: RoomConnection;
  private readonly outbox: Outbox;
  private readonly timers: readonly ReturnType<typeof setInterval>[];
  private readonly frames: Uint8Array[] = [];
  private readonly runChannel = new MessageChannel();
  private readonly slice = new EvaluationSlice();
  private isRunScheduled = false;
  private view: { readonly sheet: number; readonly ranges: readonly ViewPart[] } | undefined;
  private isWindowDue = false;
  private isShapeDue = false;
  private canPost = true;
  private calculatingSinceMs: number | undefined;
  private isCalculationShown = false;
  /**
   * Cell contents may differ from the last `inputsChanged`; true at first because of restored
   * contents.
   */
  private haveInputsChanged = true;
  private readonly room: string;
  private trace: Trace | undefined;
  /** Arrival of the first of `frames`. */
  private arrivedMs = 0;

  constructor(engine: Engine, open: OpenMessage, store: ReplicaStore | undefined, post: Post) {
    this.engine = engine;
    this.post = post;
    this.room = storageKey(open.socketUrl);
    this.outbox = new Outbox(engine, store, {
      send: (frame) => {
        this.connection.send(frame);
        if (this.trace && isSubmission(frame)) {
          this.trace.recordSent();
        }
      },
      persisted: (isPersisted) => post({ type: "persisted", isPersisted }),
    });
    this.runChannel.port1.onmessage = () => {
      this.isRunScheduled = false;
      this.run();
    };
    this.connection = new RoomConnection(open.socketUrl, open.credential, {
      opened: () => this.dispatch({ type: "connected" }),
      received: (frame) => {
        if (isForPage(frame)) {
          post({ type: "frame", frame });
          return;
        }
        if (this.trace && this.frames.length === 0) {
          this.arrivedMs = nowMs();
        }
        this.frames.push(frame);
        this.scheduleRun();
      },
      closed: (code) => {
        this.outbox.clear();
        this.trace?.recordDisconnect();
        this.dispatch({ type: "disconnected", code });
      },
      changed: (connection) => post({ type: "connection", connection }),
    });
    this.timers = [
      setInterval(() => this.dispatch({ type: "tick" }), TICK_MS),
      setInterval(() => this.dispatch({ type: "ping" }), PING_MS),
    ];
    // Shows restored contents before the server answers.
    this.scheduleRun();
  }

  dispose(): void {
    this.timers.forEach((timer) => clearInterval(timer));
    this.runChannel.port1.close();
    this.connection.dispose();
    this.outbox.dispose();
  }

  receive(message: Exclude<ToWorker, OpenMessage>): void {
    switch (message.type) {
      case "event":
        this.dispatch(message.event, message.pressedMs);
        if (isChange(message.event)) {
          this.post({ type: "applied" });
        }
        return;
      case "view":
        this.isShapeDue ||= this.view?.sheet !== message.sheet;
        this.view = { sheet: message.sheet, ranges: message.ranges };
        this.isWindowDue = true;
        // The grid waits for these cells: post them before the calculation ends.
        this.postWindow();
        return;
      case "painted":
        this.canPost = true;
        this.trace?.recordPainted();
        this.postWindow();
        return;
      case "frame":
        this.connection.send(message.frame);
        return;
      case "network":
        this.connection.setOnline(message.isOnline);
        return;
      case "credential":
        this.connection.reconnect(message.credential);
        return;
      case "queryView": {
        const { id, sheet, ranges } = message;
        const shape = this.engine.shape(sheet);
        const buffers = ranges.map(({ top, left, bottom, right }) => this.engine.look(sheet, top, left, bottom, right));
        this.post({ type: "viewData", id, shape, buffers }, [shape, ...buffers]);
        return;
      }
      case "trace":
        this.engine.event({ type: "trace", isOn: message.isOn }, Date.now());
        if (!message.isOn) {
          this.post({ type: "trace", events: this.trace?.events ?? [] });
        }
        this.trace = message.isOn ? new Trace(this.room) : undefined;
        return;
      case "query":
        this.post({ type: "result", id: message.id, result: this.engine.query(message.query) });
        return;
      default:
        exhausted(message);
    }
  }

  private dispatch(event: ClientEvent, pressedMs?: number): void {
    this.haveInputsChanged ||= isChange(event);
    const dispatchedMs = this.trace ? nowMs() : 0;
    this.engine.event(event, Date.now());
    if (this.trace) {
      this.takeTraced((ids, trace) => trace.recordApplied(ids.sent, pressedMs ?? dispatchedMs, dispatchedMs));
    }
    this.run();
  }

  private scheduleRun(): void {
    if (!this.isRunScheduled) {
      this.isRunScheduled = true;
      this.runChannel.port2.postMessage(null);
    }
  }

  private run(): void {
    guarded(() => {
      this.haveInputsChanged ||= this.frames.length > 0;
      for (const frame of this.frames.splice(0)) {
        this.engine.frame(frame, Date.now());
      }
      if (this.trace) {
        this.takeTraced((ids, trace) => {
          trace.recordReceived(ids.received, this.arrivedMs);
          // Transactions that waited for an acknowledgement are sent now.
          trace.recordApplied(ids.sent, nowMs(), nowMs());
        });
      }
      const evaluated = this.evaluate();
      this.outbox.flush();
      this.postNotices(this.engine.notices());
      if (evaluated.isFinished) {
        this.finished(evaluated);
      } else {
        this.unfinished();
      }
    });
  }

  /** Posts the notices and records those that are for the trace. */
  private takeTraced(record: (ids: Extract<Notice, { type: "traced" }>, trace: Trace) => void): void {
    const notices = this.engine.notices();
    for (const notice of notices) {
      if (notice.type === "traced" && this.trace) {
        record(notice, this.trace);
      }
    }
    this.postNotices(notices);
  }

  private postNotices(notices: readonly Notice[]): void {
    const forPage = notices.filter((notice) => notice.type !== "close" && notice.type !== "traced");
    if (forPage.length > 0) {
      this.post({ type: "notices", notices: forPage });
    }
    const close = notices.find((notice) => notice.type === "close");
    if (close) {
      this.connection.restart(close.again);
    }
  }

  private evaluate(): Evaluated {
    const startMs = performance.now();
    const evaluated = this.engine.evaluate(this.slice.steps);
    if (!evaluated.isFinished) {
      this.slice.recordDuration(performance.now() - startMs);
    }
    return evaluated;
  }

  private finished(evaluated: Evaluated): void {
    this.calculatingSinceMs = undefined;
    this.haveInputsChanged = false;
    this.trace?.recordCalculated();
    if (this.isCalculationShown) {
      this.isCalculationShown = false;
      this.post({ type: "calculating", isCalculating: false });
    }
    this.isWindowDue ||= evaluated.viewChanged;
    this.isShapeDue ||= evaluated.shapeChanged;
    this.postWindow();
    if (evaluated.anythingChanged) {
      this.post({ type: "changed" });
    }
  }

  private unfinished(): void {
    const now = Date.now();
    this.calculatingSinceMs ??= now;
    if (this.haveInputsChanged) {
      this.haveInputsChanged = false;
      this.post({ type: "inputsChanged" });
    }
    if (!this.isCalculationShown && now - this.calculatingSinceMs > CALCULATION_SHOWN_MS) {
      this.isCalculationShown = true;
      this.post({ type: "calculating", isCalculating: true });
    }
    this.scheduleRun();
  }

  private postWindow(): void {
    if (!this.view || !this.canPost) {
      return;
    }
    const { sheet, ranges } = this.view;
    if (this.isShapeDue) {
      this.isShapeDue = false;
      const shape = this.engine.shape(sheet);
      this.post({ type: "shape", buffer: shape }, [shape]);
    }
    if (!this.isWindowDue) {
      return;
    }
    this.isWindowDue = false;
    this.canPost = false;
    const buffers = ranges.map(({ top, left, bottom, right, rows }, at) =>
      rows
        ? this.engine.windowOfRows(rows, sheet, top, left, bottom, right, at === 0)
        : this.engine.window(sheet, top, left, bottom, right, at === 0),
    );
    this.trace?.recordWindowPosted();
    this.post({ type: "windows", buffers }, buffers);
  }
}

let worker: Worker | undefined;
/** Messages that arrive while the engine is loading. */
const pendingMessages: Exclude<ToWorker, OpenMessage>[] = [];

self.onmessage = (event: MessageEvent<ToWorker>): void => {
  const message = event.data;
  if (message.type === "open") {
    void open(message);
  } else if (worker) {
    const ready = worker;
    guarded(() => ready.receive(message));
  } else {
    pendingMessages.push(message);
  }
};

async function open(message: OpenMessage): Promise<void> {
  try {
    const room = storageKey(message.socketUrl);
    const [engine, stored] = await Promise.all([Engine.start(message.engine), ReplicaStore.open(room)]);
    start(engine, message, stored?.start, stored !== undefined);
    const opened = new Worker(engine, message, stored?.store, post);
    worker = opened;
    for (const waiting of pendingMessages.splice(0)) {
      guarded(() => opened.receive(waiting));
    }
    await sendOrphanedEdits(message, room);
  } catch (error) {
    stop(error);
  }
}

/**
 * Sends the edits of pages that were closed before the server acknowledged them, one slot after the
 * other.
 */
async function sendOrphanedEdits(message: OpenMessage, room: string): Promise<void> {
  const orphaned = await ReplicaStore.openOrphaned(room);
  if (!orphaned) {
    return;
  }
  const engine = await Engine.start(message.engine);
  start(engine, message, orphaned.start, true);
  const sender = new Worker(engine, message, orphaned.store, (reply) => {
    if (reply.type !== "notices") {
      return;
    }
    for (const notice of reply.notices) {
      if (notice.type === "refused") {
        post({ type: "notices", notices: [notice] });
      } else if (notice.type === "status" && notice.status.isConnected && notice.status.unconfirmed === 0) {
        sender.dispose();
        void orphaned.store.clear().then(() => {
          orphaned.store.dispose();
          return sendOrphanedEdits(message, room);
        });
      }
    }
  });
}

/** Key of a room in the store: path and query of its address. */
function storageKey(socketUrl: string): string {
  const { pathname, search } = new URL(socketUrl);
  return pathname + search;
}

function start(engine: Engine, message: OpenMessage, stored: Start | undefined, persists: boolean): void {
  const openEngine = (): void => {
    // The engine gets its random seed as an argument, so that runs can be replayed.
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    engine.open({ name: message.name, color: message.color, seed: [high, low], keeps: persists });
  };
  openEngine();
  const failure = stored && engine.restore(stored.bytes, stored.isCopy);
  if (failure) {
    // Stored by another version of the client: load the whole room from the server.
    console.warn("quadrille: the stored copy of this room cannot be read:", failure);
    openEngine();
  }
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    stop(error);
  }
}

function stop(error: unknown): void {
  console.error("quadrille engine stopped:", error);
  post({ type: "stopped", message: error instanceof Error ? error.message : String(error) });
  self.close();
}

function post(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function exhausted(message: never): never {
  throw new Error(`unknown message: ${JSON.stringify(message)}`);
}
