/**
 * `<quadrille-sheet>`: a workbook in the page of somebody else. Built as one script without dependencies, `/embed.js`.
 *
 * The workbook is a frame in a shadow root; it keeps its own origin, so that neither page reaches into the other.
 */

import {
  CONNECT,
  type ErrorDetail,
  type FromFrame,
  HELLO,
  type HostCells,
  type ReadyDetail,
  type SelectDetail,
  type ToFrame,
  type Value,
  VERSION,
} from "./messages.ts";

/** A frame that has loaded and says nothing for so long is not a workbook: most often the server does not allow it. */
const SILENCE_MS_MAX = 15_000;
/** With `fit` the element is at most so high. */
const HEIGHT_PX_MAX = 4_000;

/** Where the script came from is where its workbooks are, unless `src` says otherwise. */
const scriptAddress = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : undefined;

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

type Asked<Question> = Question extends { readonly id: number } ? Omit<Question, "id"> : never;

export class QuadrilleSheet extends HTMLElement {
  static readonly observedAttributes = ["src", "room", "mode", "lang", "sheet", "range", "theme", "title"];

  private readonly frame = document.createElement("iframe");
  private controller: AbortController | undefined;
  private port: MessagePort | undefined;
  private origin = "";
  private timer = 0;
  private questions = 0;
  private isReady = false;
  private readonly waiting = new Map<number, Waiting>();
  /** Asked before the workbook was there. */
  private early: ToFrame[] = [];

  constructor() {
    super();
    const { style } = this.frame;
    Object.assign(style, { display: "block", width: "100%", height: "100%", border: "0" });
    this.frame.allow = "clipboard-read; clipboard-write";
    this.attachShadow({ mode: "open" }).append(this.frame);
  }

  connectedCallback(): void {
    if (this.style.display === "") {
      this.style.display = "block";
    }
    if (this.style.height === "" && this.offsetHeight === 0) {
      this.style.height = "400px";
    }
    this.controller = new AbortController();
    window.addEventListener("message", (event) => this.heard(event), { signal: this.controller.signal });
    this.frame.addEventListener("load", () => this.loaded(), { signal: this.controller.signal });
    this.open();
  }

  disconnectedCallback(): void {
    this.controller?.abort();
    this.close();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (!this.controller || this.controller.signal.aborted || before === now) {
      return;
    }
    if (name === "theme") {
      this.post({ do: "theme", theme: now });
    } else if (name === "title") {
      this.frame.title = now ?? "Quadrille";
    } else if (name === "sheet" || name === "range") {
      if (this.isReady) {
        this.select(this.getAttribute("range") ?? undefined, this.getAttribute("sheet") ?? undefined).catch(() => undefined);
      }
    } else {
      this.open();
    }
  }

  /** What cells show and hold; without `sheet` those of the sheet that is shown. */
  getCells(range: string, sheet?: string): Promise<HostCells> {
    return this.ask({ do: "get", range, ...(sheet !== undefined && { sheet }) });
  }

  /**
   * Writes rows of values from `at` on: texts as if they were typed (`=A1*2` is a formula), `null` empties a cell.
   * Answers with the cells as they are then.
   */
  setCells(at: string, cells: readonly (readonly Value[])[], sheet?: string): Promise<HostCells> {
    return this.ask({ do: "set", at, cells, ...(sheet !== undefined && { sheet }) });
  }

  select(range?: string, sheet?: string): Promise<SelectDetail> {
    return this.ask({ do: "select", ...(range !== undefined && { range }), ...(sheet !== undefined && { sheet }) });
  }

  /** Names of the sheets. */
  sheets(): Promise<readonly string[]> {
    return this.ask({ do: "sheets" });
  }

  private address(): URL | undefined {
    const src = this.getAttribute("src") ?? scriptAddress;
    const room = this.getAttribute("room");
    if (src === undefined) {
      return undefined;
    }
    const url = new URL(src, document.baseURI);
    if (room !== null) {
      url.pathname = `/${encodeURIComponent(room)}`;
    } else if (!this.hasAttribute("src") || url.pathname === "/") {
      return undefined;
    }
    url.search = "";
    url.hash = "";
    url.searchParams.set("embed", this.getAttribute("mode") === "edit" ? "edit" : "view");
    for (const name of ["sheet", "range", "lang", "theme"]) {
      const value = this.getAttribute(name);
      if (value !== null) {
        url.searchParams.set(name, value);
      }
    }
    return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
  }

  private open(): void {
    this.close();
    const url = this.address();
    if (!url) {
      this.fail({ code: "noAddress", message: "<quadrille-sheet> needs the address of a workbook in src, or its name in room" });
      return;
    }
    this.origin = url.origin;
    this.frame.title = this.getAttribute("title") ?? "Quadrille";
    this.frame.src = url.href;
  }

  private close(): void {
    window.clearTimeout(this.timer);
    this.port?.close();
    this.port = undefined;
    this.isReady = false;
    this.early = [];
    for (const { reject } of this.waiting.values()) {
      reject(new Error("the workbook was closed"));
    }
    this.waiting.clear();
  }

  private loaded(): void {
    window.clearTimeout(this.timer);
    if (!this.port && this.origin !== "") {
      this.timer = window.setTimeout(() => {
        const message = `no workbook answers from ${this.origin}; its server has to allow this page with frame_ancestors: ${location.origin}`;
        this.fail({ code: "noAnswer", message });
      }, SILENCE_MS_MAX);
    }
  }

  /** Only our own frame, and only while it shows what we put there. */
  private heard(event: MessageEvent<unknown>): void {
    const said = event.data as { type?: unknown; version?: unknown } | null;
    const isOurs = event.source === this.frame.contentWindow && event.origin === this.origin;
    if (!isOurs || typeof said !== "object" || said?.type !== HELLO) {
      return;
    }
    window.clearTimeout(this.timer);
    if (said.version !== VERSION) {
      this.fail({ code: "otherVersion", message: "embed.js and the server are of different versions: reload the page" });
      return;
    }
    this.port?.close();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = (message: MessageEvent<FromFrame>) => this.receive(message.data);
    this.frame.contentWindow?.postMessage({ type: CONNECT, version: VERSION }, this.origin, [port2]);
  }

  private receive(message: FromFrame): void {
    if ("id" in message) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if ("failure" in message) {
        waiting?.reject(new Error(message.failure));
      } else {
        // Each question was stored with the type of its answer.
        waiting?.resolve(message.answer as never);
      }
      return;
    }
    if (message.event === "size") {
      if (this.hasAttribute("fit")) {
        this.style.height = `${Math.min(HEIGHT_PX_MAX, message.detail.height)}px`;
      }
      return;
    }
    if (message.event === "ready") {
      this.isReady = true;
      this.early.splice(0).forEach((early) => this.post(early));
    }
    this.tell(message.event, message.detail);
  }

  private ask<Answer>(question: Asked<ToFrame>): Promise<Answer> {
    this.questions += 1;
    const asked = { ...question, id: this.questions } as ToFrame;
    return new Promise((resolve, reject) => {
      this.waiting.set(this.questions, { resolve, reject });
      if (this.isReady) {
        this.post(asked);
      } else {
        this.early.push(asked);
      }
    });
  }

  private post(message: ToFrame): void {
    this.port?.postMessage(message);
  }

  private fail(detail: ErrorDetail): void {
    this.tell("error", detail);
  }

  private tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "quadrille-sheet": QuadrilleSheet;
  }
}

export type { ReadyDetail };

// Twice on a page does no harm.
if (!customElements.get("quadrille-sheet")) {
  customElements.define("quadrille-sheet", QuadrilleSheet);
}
