/** The page's side of a room: sends events to the worker, hands out what comes back. */

import { type Notice, type PageEvent, type Query, type RangePosition, SheetShape, SheetWindow } from "@quadrille/protocol";
import { type QueryResults, type Connection, type FromWorker, isChange, type ToWorker } from "./messages.ts";
import { nowMs, type TraceEvent } from "./trace.ts";

export interface SessionListener {
  noticed(notice: Notice): void;
  windowsArrived(windows: readonly SheetWindow[]): void;
  shapeArrived(shape: SheetShape): void;
  /** What cells hold may have changed, long before their values are there. */
  entered(): void;
  /** Cells changed; figures may be out of date. */
  changed(): void;
  /** Whether the worker has yet to take in a change that the page told it. */
  sending(isSending: boolean): void;
  calculating(isCalculating: boolean): void;
  connectionChanged(connection: Connection): void;
  /** Whether every change that the server does not have yet is written down in this browser. */
  persisted(isKept: boolean): void;
  /** A frame of the room's chat or of following, which none is sent before it was asked for. */
  heard(frame: Uint8Array): void;
  /** The recording that was asked for has ended. */
  traced(events: readonly TraceEvent[]): void;
  stopped(message: string): void;
}

export interface SessionOptions {
  readonly worker: Worker;
  readonly engine: Promise<WebAssembly.Module>;
  readonly socketUrl: string;
  readonly name: string;
  readonly color: number;
}

/** What a part of a sheet looks like. */
export interface ViewData {
  readonly shape: SheetShape;
  /** One for each range that was asked for. */
  readonly windows: readonly SheetWindow[];
}

export class Session {
  private readonly worker: Worker;
  private readonly listener: SessionListener;
  private readonly waiting = new Map<number, (answer: never) => void>();
  private readonly looking = new Map<number, (look: ViewData) => void>();
  private questions = 0;
  private changesOnTheirWay = 0;
  private readonly controller = new AbortController();

  constructor(options: SessionOptions, listener: SessionListener) {
    this.worker = options.worker;
    this.listener = listener;
    this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
    this.worker.onerror = (event) => this.listener.stopped(event.message || "the worker could not be started");
    const { socketUrl, name, color } = options;
    options.engine.then(
      (engine) => this.post({ type: "open", engine, socketUrl, name, color }),
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

  send(event: PageEvent): void {
    if (isChange(event)) {
      this.changesOnTheirWay += 1;
      this.listener.sending(true);
    }
    // When the key was pressed that brought this about, as far as that is known.
    const pressed = window.event;
    const pressedMs = pressed ? performance.timeOrigin + pressed.timeStamp : nowMs();
    this.post({ type: "event", event, pressedMs });
  }

  view(sheet: number, ranges: readonly RangePosition[]): void {
    this.post({ type: "view", sheet, ranges });
  }

  /** Records what becomes of transactions in this page, until it is called with `false`: then `traced` is told. */
  trace(isOn: boolean): void {
    this.post({ type: "trace", isOn });
  }

  /** Sends a frame of the chat or of following, if there is a connection. */
  say(frame: ArrayBuffer): void {
    this.post({ type: "frame", frame });
  }

  painted(): void {
    this.post({ type: "painted" });
  }

  ask<Kind extends Query["type"]>(question: Query & { readonly type: Kind }): Promise<QueryResults[Kind]> {
    this.questions += 1;
    const id = this.questions;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.post({ type: "ask", id, question });
    });
  }

  /** Rectangles of any sheet as they look, and the sheet's sizes. */
  queryView(sheet: number, ranges: readonly RangePosition[]): Promise<ViewData> {
    this.questions += 1;
    const id = this.questions;
    return new Promise((resolve) => {
      this.looking.set(id, resolve);
      this.post({ type: "look", id, sheet, ranges });
    });
  }

  private post(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    switch (message.type) {
      case "notices":
        message.notices.forEach((notice) => this.listener.noticed(notice));
        return;
      case "windows":
        this.listener.windowsArrived(message.buffers.map((buffer) => new SheetWindow(buffer)));
        return;
      case "shape":
        this.listener.shapeArrived(new SheetShape(message.buffer));
        return;
      case "taken":
        this.changesOnTheirWay -= 1;
        this.listener.sending(this.changesOnTheirWay > 0);
        return;
      case "entered":
        this.listener.entered();
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
        this.listener.heard(message.frame);
        return;
      case "kept":
        this.listener.persisted(message.isPersisted);
        return;
      case "answer": {
        const resolve = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        // Each question was stored with the type of its answer.
        resolve?.(message.answer as never);
        return;
      }
      case "looked": {
        const resolve = this.looking.get(message.id);
        this.looking.delete(message.id);
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
