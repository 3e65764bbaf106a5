/**
 * The custom element `<quadrille-sheet>`, which embeds a workbook in another page. Built as
 * `/embed.js`, one script without dependencies.
 *
 * The workbook is an iframe in a shadow root. It keeps its own origin, so that neither page can
 * access the other.
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
} from "./embed-protocol.ts";

/**
 * A loaded frame that sends no message for this long is not a workbook; usually the server forbids
 * embedding.
 */
const SILENCE_MS_MAX = 15_000;
/** Maximum height with attribute `fit`. */
const HEIGHT_PX_MAX = 4_000;

/** URL of this script; its origin serves the workbooks if there is no `src`. */
const scriptUrl = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : undefined;

interface PendingRequest {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

type WithoutId<Question> = Question extends { readonly id: number } ? Omit<Question, "id"> : never;

/** The element. Methods wait until the workbook is ready, and reject if it is closed. */
export class QuadrilleSheet extends HTMLElement {
  static readonly observedAttributes = ["src", "room", "mode", "lang", "sheet", "range", "theme", "title", "token"];

  private readonly frame = document.createElement("iframe");
  private controller: AbortController | undefined;
  private port: MessagePort | undefined;
  private origin = "";
  private timer = 0;
  private lastRequestId = 0;
  private isReady = false;
  private readonly pending = new Map<number, PendingRequest>();
  /** Requests made before the workbook was ready. */
  private pendingMessages: ToFrame[] = [];

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
    window.addEventListener("message", (event) => this.hostMessage(event), { signal: this.controller.signal });
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
    } else if (name === "token" && before !== null && now !== null) {
      // Only the fragment differs; the page in the frame notices that.
      this.frame.src = this.address()?.href ?? "";
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

  /** Texts, values and formulas of a range; without `sheet`, of the active sheet. */
  getCells(range: string, sheet?: string): Promise<HostCells> {
    return this.request({ do: "get", range, ...(sheet !== undefined && { sheet }) });
  }

  /**
   * Writes rows of values starting at `at`: strings as if typed (`=A1*2` is a formula), `null`
   * clears a cell. Resolves with the resulting cells.
   */
  setCells(at: string, cells: readonly (readonly Value[])[], sheet?: string): Promise<HostCells> {
    return this.request({ do: "set", at, cells, ...(sheet !== undefined && { sheet }) });
  }

  /** Selects a range and activates its sheet. */
  select(range?: string, sheet?: string): Promise<SelectDetail> {
    return this.request({ do: "select", ...(range !== undefined && { range }), ...(sheet !== undefined && { sheet }) });
  }

  /** Names of the sheets. */
  sheets(): Promise<readonly string[]> {
    return this.request({ do: "sheets" });
  }

  private address(): URL | undefined {
    const src = this.getAttribute("src") ?? scriptUrl;
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
    const token = this.getAttribute("token");
    if (token !== null) {
      url.hash = `token=${token}`;
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
    this.pendingMessages = [];
    for (const { reject } of this.pending.values()) {
      reject(new Error("the workbook was closed"));
    }
    this.pending.clear();
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

  /** Accepts the handshake, from this element's frame and origin only. */
  private hostMessage(event: MessageEvent<unknown>): void {
    const hello = event.data as { type?: unknown; version?: unknown } | null;
    const isOurs = event.source === this.frame.contentWindow && event.origin === this.origin;
    if (!isOurs || typeof hello !== "object" || hello?.type !== HELLO) {
      return;
    }
    window.clearTimeout(this.timer);
    if (hello.version !== VERSION) {
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
      const pending = this.pending.get(message.id);
      this.pending.delete(message.id);
      if ("failure" in message) {
        pending?.reject(new Error(message.failure));
      } else {
        // Each request was stored with its result type.
        pending?.resolve(message.answer as never);
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
      this.pendingMessages.splice(0).forEach((early) => this.post(early));
    }
    this.dispatch(message.event, message.detail);
  }

  private request<Answer>(question: WithoutId<ToFrame>): Promise<Answer> {
    this.lastRequestId += 1;
    const message = { ...question, id: this.lastRequestId } as ToFrame;
    return new Promise((resolve, reject) => {
      this.pending.set(this.lastRequestId, { resolve, reject });
      if (this.isReady) {
        this.post(message);
      } else {
        this.pendingMessages.push(message);
      }
    });
  }

  private post(message: ToFrame): void {
    this.port?.postMessage(message);
  }

  private fail(detail: ErrorDetail): void {
    this.dispatch("error", detail);
  }

  private dispatch(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "quadrille-sheet": QuadrilleSheet;
  }
}

export type { ReadyDetail };

// The script may be included more than once.
if (!customElements.get("quadrille-sheet")) {
  customElements.define("quadrille-sheet", QuadrilleSheet);
}
