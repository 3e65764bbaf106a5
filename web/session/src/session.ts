/**
 * The main thread's side of a room: posts events and queries to the worker and dispatches its
 * messages.
 */

import { type Notice, type ClientEvent, type Query, type RangePosition, SheetShape, SheetWindow } from "@quadrille/protocol";
import { type QueryResults, type Connection, type FromWorker, isChange, type ToWorker, type ViewPart } from "./worker-messages.ts";
import { nowMs, type TraceEvent } from "./trace.ts";

/** Windows that cannot be read one after the other, before the page gives up. */
const UNREADABLE_MAX = 3;

/** Receives the messages of the worker. */
export interface SessionListener {
  noticed(notice: Notice): void;
  windowsArrived(windows: readonly SheetWindow[]): void;
  shapeArrived(shape: SheetShape): void;
  /** Cell contents may have changed; their values may still be calculating. */
  inputsChanged(): void;
  /** Cells changed: earlier query results may be out of date. */
  changed(): void;
  /** Whether the worker has not yet applied all changes. */
  sending(isSending: boolean): void;
  calculating(isCalculating: boolean): void;
  connectionChanged(connection: Connection): void;
  /** Whether all changes that the server has not acknowledged are stored in this browser. */
  persisted(isPersisted: boolean): void;
  /** A chat or following frame; the server sends them on request only. */
  frameReceived(frame: Uint8Array): void;
  /** A trace recording has ended. */
  traced(events: readonly TraceEvent[]): void;
  stopped(message: string): void;
}

/** Arguments of a session. */
export interface SessionOptions {
  readonly worker: Worker;
  readonly engine: Promise<WebAssembly.Module>;
  readonly socketUrl: string;
  /** Resolves to an owner key, share link or token for the connection. */
  readonly credential: Promise<string | undefined>;
  readonly name: string;
  readonly color: number;
}

/** Cells and sizes of a part of a sheet. */
export interface ViewData {
  readonly shape: SheetShape;
  /** One window per requested range. */
  readonly windows: readonly SheetWindow[];
}

/** Owns the worker until `dispose`. */
export class Session {
  private readonly worker: Worker;
  private readonly listener: SessionListener;
  private readonly pendingQueries = new Map<number, (result: never) => void>();
  private readonly pendingViews = new Map<number, (data: ViewData) => void>();
  private lastQueryId = 0;
  private changesInFlight = 0;
  /** The drawn ranges. */
  private drawn: { readonly sheet: number; readonly ranges: readonly ViewPart[] } | undefined;
  /** Windows that could not be read since the last one that could. */
  private unreadable = 0;
  private readonly controller = new AbortController();

  constructor(options: SessionOptions, listener: SessionListener) {
    this.worker = options.worker;
    this.listener = listener;
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
    this.worker.onerror = (event) => this.listener.stopped(event.message || "the worker could not be started");
    const { socketUrl, name, color } = options;
    Promise.all([options.engine, options.credential]).then(
      ([engine, credential]) => this.post({ type: "open", engine, socketUrl, credential, name, color }),
      (error: unknown) => this.listener.stopped(`the engine could not be loaded: ${String(error)}`),
    );
    const { signal } = this.controller;
    window.addEventListener("online", () => this.post({ type: "network", isOnline: true }), { signal });
    window.addEventListener("offline", () => this.post({ type: "network", isOnline: false }), { signal });
  }

  dispose(): void {
    this.controller.abort();
    this.worker.terminate();
  }

  /** Connects again with another credential. */
  reconnect(credential: string | undefined): void {
    this.post({ type: "credential", credential });
  }

  /** Sends an event to the engine. */
  send(event: ClientEvent): void {
    if (isChange(event)) {
      this.changesInFlight += 1;
      this.listener.sending(true);
    }
    // Time of the input event that caused this call, if there is one.
    const pressed = window.event;
    const pressedMs = pressed ? performance.timeOrigin + pressed.timeStamp : nowMs();
    this.post({ type: "event", event, pressedMs });
  }

  /** Sets the drawn ranges. */
  view(sheet: number, ranges: readonly ViewPart[]): void {
    this.drawn = { sheet, ranges };
    this.post({ type: "view", sheet, ranges });
  }

  /** Starts a trace recording, or ends it, upon which `traced` is called. */
  trace(isOn: boolean): void {
    this.post({ type: "trace", isOn });
  }

  /** Sends a chat or following frame if there is a connection. */
  sendFrame(frame: ArrayBuffer): void {
    this.post({ type: "frame", frame });
  }

  /** Reports that the latest windows were painted. */
  painted(): void {
    this.post({ type: "painted" });
  }

  /** Queries the engine. */
  query<Kind extends Query["type"]>(query: Query & { readonly type: Kind }): Promise<QueryResults[Kind]> {
    this.lastQueryId += 1;
    const id = this.lastQueryId;
    return new Promise((resolve) => {
      this.pendingQueries.set(id, resolve);
      this.post({ type: "query", id, query });
    });
  }

  /** Windows of any sheet, with the sheet's shape. */
  queryView(sheet: number, ranges: readonly RangePosition[]): Promise<ViewData> {
    this.lastQueryId += 1;
    const id = this.lastQueryId;
    return new Promise((resolve) => {
      this.pendingViews.set(id, resolve);
      this.post({ type: "queryView", id, sheet, ranges });
    });
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  /**
   * Reads windows. The worker sends no others until these are painted, so ones that cannot be read, as WebKit has delivered
   * under load, are asked for again: otherwise the page would show old cells for ever.
   */
  private receiveWindows(buffers: readonly ArrayBuffer[]): void {
    let windows: readonly SheetWindow[];
    try {
      windows = buffers.map((buffer) => new SheetWindow(buffer));
      this.unreadable = 0;
    } catch (error) {
      this.unreadable += 1;
      console.warn("quadrille: cells that cannot be read:", error, buffers.map((buffer) => buffer.byteLength));
      if (this.unreadable === UNREADABLE_MAX) {
        this.listener.stopped(`the cells cannot be read: ${String(error)}`);
        return;
      }
      this.painted();
      if (this.drawn) {
        this.view(this.drawn.sheet, this.drawn.ranges);
      }
      return;
    }
    this.listener.windowsArrived(windows);
  }

  private receive(message: FromWorker): void {
    switch (message.type) {
      case "notices":
        message.notices.forEach((notice) => this.listener.noticed(notice));
        return;
      case "windows":
        this.receiveWindows(message.buffers);
        return;
      case "shape":
        this.listener.shapeArrived(new SheetShape(message.buffer));
        return;
      case "applied":
        this.changesInFlight -= 1;
        this.listener.sending(this.changesInFlight > 0);
        return;
      case "inputsChanged":
        this.listener.inputsChanged();
        return;
      case "changed":
        this.listener.changed();
        return;
      case "calculating":
        this.listener.calculating(message.isCalculating);
        return;
      case "connection":
        this.listener.connectionChanged(message.connection);
        return;
      case "frame":
        this.listener.frameReceived(message.frame);
        return;
      case "persisted":
        this.listener.persisted(message.isPersisted);
        return;
      case "result": {
        const resolve = this.pendingQueries.get(message.id);
        this.pendingQueries.delete(message.id);
        // Each query was stored with its result type.
        resolve?.(message.result as never);
        return;
      }
      case "viewData": {
        const resolve = this.pendingViews.get(message.id);
        this.pendingViews.delete(message.id);
        resolve?.({
          shape: new SheetShape(message.shape),
          windows: message.buffers.map((buffer) => new SheetWindow(buffer)),
        });
        return;
      }
      case "trace":
        this.listener.traced(message.events);
        return;
      case "stopped":
        this.listener.stopped(message.message);
        return;
      default:
        exhausted(message);
    }
  }
}

function exhausted(message: never): never {
  throw new Error(`unknown message: ${JSON.stringify(message)}`);
}
