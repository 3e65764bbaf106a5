/**
 * The worker: socket and engine. Frames go from the socket into the engine and out of it, unread, but for those of the chat and of
 * following, which are the page's.
 *
 * Everything that waits is taken in first, then the workbook is calculated in slices that let new messages in
 * between, then the page gets one window. It gets the next one when it has painted the last: a hidden or slow
 * page costs nothing and never falls behind by more than one window.
 */

import { Engine, type Evaluated } from "@quadrille/engine";
import { isForPage, isSubmission, type Notice, type PageEvent, type RangePosition } from "@quadrille/protocol";
import { RoomConnection } from "./connection.ts";
import { ReplicaStore, type Start } from "./replica-store.ts";
import { type FromWorker, isChange, type OpenMessage, type ToWorker } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { Slice } from "./slice.ts";
import { nowMs, Trace } from "./trace.ts";

/** A calculation that takes longer is told to the page, which goes on showing the last finished state. */
const CALCULATION_SHOWN_MS = 150;
/** Where people are is said at most this often. */
const TICK_MS = 100;
/** A server that has nothing to say is asked whether it is still there. */
const PING_MS = 8_000;

type Post = (message: FromWorker, transfer?: Transferable[]) => void;

class Worker {
  private readonly engine: Engine;
  private readonly post: Post;
  private readonly connection: RoomConnection;
  private readonly outbox: Outbox;
  private readonly timers: readonly ReturnType<typeof setInterval>[];
  private readonly frames: Uint8Array[] = [];
  private readonly turn = new MessageChannel();
  private readonly slice = new Slice();
  private isTurnPlanned = false;
  private view: { readonly sheet: number; readonly ranges: readonly RangePosition[] } | undefined;
  private isWindowDue = false;
  private isShapeDue = false;
  private mayPost = true;
  private calculatingSinceMs: number | undefined;
  private isCalculationShown = false;
  /** What cells hold may be other than the page was told; at first, because of what was restored. */
  private isEntered = true;
  private readonly room: string;
  private trace: Trace | undefined;
  /** When the first of `frames` came. */
  private arrivedMs = 0;

  constructor(engine: Engine, open: OpenMessage, keeper: ReplicaStore | undefined, post: Post) {
    this.engine = engine;
    this.post = post;
    this.room = keptAs(open.socketUrl);
    this.outbox = new Outbox(engine, keeper, {
      send: (frame) => {
        this.connection.send(frame);
        if (this.trace && isSubmission(frame)) {
          this.trace.sends();
        }
      },
      persisted: (isPersisted) => post({ type: "kept", isPersisted }),
    });
    this.turn.port1.onmessage = () => {
      this.isTurnPlanned = false;
      this.run();
    };
    this.connection = new RoomConnection(open.socketUrl, {
      opened: () => this.give({ type: "connected" }),
      received: (frame) => {
        if (isForPage(frame)) {
          post({ type: "frame", frame });
          return;
        }
        if (this.trace && this.frames.length === 0) {
          this.arrivedMs = nowMs();
        }
        this.frames.push(frame);
        this.planTurn();
      },
      closed: (code) => {
        this.outbox.clear();
        this.trace?.disconnects();
        this.give({ type: "disconnected", code });
      },
      changed: (connection) => post({ type: "connection", connection }),
    });
    this.timers = [
      setInterval(() => this.give({ type: "tick" }), TICK_MS),
      setInterval(() => this.give({ type: "ping" }), PING_MS),
    ];
    // What was restored is there before any answer of the server.
    this.planTurn();
  }

  dispose(): void {
    this.timers.forEach((timer) => clearInterval(timer));
    this.turn.port1.close();
    this.connection.dispose();
    this.outbox.dispose();
  }

  receive(message: Exclude<ToWorker, OpenMessage>): void {
    switch (message.type) {
      case "event":
        this.give(message.event, message.pressedMs);
        if (isChange(message.event)) {
          this.post({ type: "taken" });
        }
        return;
      case "view":
        this.isShapeDue ||= this.view?.sheet !== message.sheet;
        this.view = { sheet: message.sheet, ranges: message.ranges };
        this.isWindowDue = true;
        // The page waits for these cells: do not let a calculation hold them up.
        this.postWindow();
        return;
      case "painted":
        this.mayPost = true;
        this.trace?.paints();
        this.postWindow();
        return;
      case "frame":
        this.connection.send(message.frame);
        return;
      case "network":
        this.connection.setOnline(message.isOnline);
        return;
      case "look": {
        const { id, sheet, ranges } = message;
        const shape = this.engine.shape(sheet);
        const buffers = ranges.map(({ top, left, bottom, right }) => this.engine.look(sheet, top, left, bottom, right));
        this.post({ type: "looked", id, shape, buffers }, [shape, ...buffers]);
        return;
      }
      case "trace":
        this.engine.event({ type: "trace", isOn: message.isOn }, Date.now());
        if (!message.isOn) {
          this.post({ type: "trace", events: this.trace?.events ?? [] });
        }
        this.trace = message.isOn ? new Trace(this.room) : undefined;
        return;
      case "ask":
        this.post({ type: "answer", id: message.id, answer: this.engine.ask(message.question) });
        return;
      default:
        exhausted(message);
    }
  }

  private give(event: PageEvent, pressedMs?: number): void {
    this.isEntered ||= isChange(event);
    const takenMs = this.trace ? nowMs() : 0;
    this.engine.event(event, Date.now());
    if (this.trace) {
      this.takeTraced((ids, trace) => trace.applies(ids.sent, pressedMs ?? takenMs, takenMs));
    }
    this.run();
  }

  private planTurn(): void {
    if (!this.isTurnPlanned) {
      this.isTurnPlanned = true;
      this.turn.port2.postMessage(null);
    }
  }

  private run(): void {
    guarded(() => {
      this.isEntered ||= this.frames.length > 0;
      for (const frame of this.frames.splice(0)) {
        this.engine.frame(frame, Date.now());
      }
      if (this.trace) {
        this.takeTraced((ids, trace) => {
          trace.receives(ids.received, this.arrivedMs);
          // What had waited for an answer goes out now.
          trace.applies(ids.sent, nowMs(), nowMs());
        });
      }
      const evaluated = this.evaluate();
      this.outbox.sendOn();
      this.tell(this.engine.notices());
      if (evaluated.isFinished) {
        this.finished(evaluated);
      } else {
        this.unfinished();
      }
    });
  }

  /** Notices are told as always, except those that are for the trace alone. */
  private takeTraced(take: (ids: Extract<Notice, { type: "traced" }>, trace: Trace) => void): void {
    const notices = this.engine.notices();
    for (const notice of notices) {
      if (notice.type === "traced" && this.trace) {
        take(notice, this.trace);
      }
    }
    this.tell(notices);
  }

  private tell(notices: readonly Notice[]): void {
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
      this.slice.took(performance.now() - startMs);
    }
    return evaluated;
  }

  private finished(evaluated: Evaluated): void {
    this.calculatingSinceMs = undefined;
    this.isEntered = false;
    this.trace?.finishesCalculation();
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
    if (this.isEntered) {
      this.isEntered = false;
      this.post({ type: "entered" });
    }
    if (!this.isCalculationShown && now - this.calculatingSinceMs > CALCULATION_SHOWN_MS) {
      this.isCalculationShown = true;
      this.post({ type: "calculating", isCalculating: true });
    }
    this.planTurn();
  }

  private postWindow(): void {
    if (!this.view || !this.mayPost) {
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
    this.mayPost = false;
    const buffers = ranges.map(({ top, left, bottom, right }, at) =>
      this.engine.window(sheet, top, left, bottom, right, at === 0),
    );
    this.trace?.postsWindow();
    this.post({ type: "windows", buffers }, buffers);
  }
}

let worker: Worker | undefined;
/** What arrives while the engine is being loaded. */
const early: Exclude<ToWorker, OpenMessage>[] = [];

self.onmessage = (event: MessageEvent<ToWorker>): void => {
  const message = event.data;
  if (message.type === "open") {
    void open(message);
  } else if (worker) {
    const ready = worker;
    guarded(() => ready.receive(message));
  } else {
    early.push(message);
  }
};

async function open(message: OpenMessage): Promise<void> {
  try {
    const room = keptAs(message.socketUrl);
    const [engine, kept] = await Promise.all([Engine.start(message.engine), ReplicaStore.open(room)]);
    start(engine, message, kept?.start, kept !== undefined);
    const opened = new Worker(engine, message, kept?.keeper, post);
    worker = opened;
    for (const waiting of early.splice(0)) {
      guarded(() => opened.receive(waiting));
    }
    await sendLeftBehind(message, room);
  } catch (error) {
    stop(error);
  }
}

/** Edits of pages that were closed before the server had them, one page after the other. */
async function sendLeftBehind(message: OpenMessage, room: string): Promise<void> {
  const left = await ReplicaStore.openLeftBehind(room);
  if (!left) {
    return;
  }
  const engine = await Engine.start(message.engine);
  start(engine, message, left.start, true);
  const courier = new Worker(engine, message, left.keeper, (told) => {
    if (told.type !== "notices") {
      return;
    }
    for (const notice of told.notices) {
      if (notice.type === "refused") {
        post({ type: "notices", notices: [notice] });
      } else if (notice.type === "status" && notice.status.isConnected && notice.status.unconfirmed === 0) {
        courier.dispose();
        void left.keeper.forget().then(() => {
          left.keeper.dispose();
          return sendLeftBehind(message, room);
        });
      }
    }
  });
}

/** Several servers may share an origin's storage one after the other, but not a room's address. */
function keptAs(socketUrl: string): string {
  const { pathname, search } = new URL(socketUrl);
  return pathname + search;
}

function start(engine: Engine, message: OpenMessage, kept: Start | undefined, keeps: boolean): void {
  const opening = (): void => {
    // Random numbers come from outside the engine, so that it can be replayed.
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    engine.open({ name: message.name, color: message.color, seed: [high, low], keeps });
  };
  opening();
  const failure = kept && engine.restore(kept.bytes, kept.isCopy);
  if (failure) {
    // Kept by a newer or older version of this page: the room is asked for all of it.
    console.warn("quadrille: what was kept of this room cannot be read:", failure);
    opening();
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
