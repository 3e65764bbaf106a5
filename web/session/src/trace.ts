/**
 * The page's half of a trace: what became of each transaction here, as events of a Chrome trace. The server's half
 * (`quadrille serve --trace FILE`) names transactions alike, so that both make one picture: docs/operations-guide.md.
 */

export type TraceStage = "key" | "apply" | "send" | "receive" | "recalculate" | "paint";

/** Begin (`b`) or end (`e`) of a stage; `ts` in microseconds since 1970. */
export interface TraceEvent {
  readonly name: TraceStage;
  readonly cat: "transaction";
  readonly ph: "b" | "e";
  readonly ts: number;
  readonly pid: 2;
  readonly tid: 1;
  readonly id: string;
  readonly args: { readonly room: string };
}

/** A recording that was forgotten ends growing here; half an hour of fast typing. */
const EVENTS_MAX = 100_000;

/** Milliseconds since 1970 by a clock that is not set meanwhile. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

export class Trace {
  readonly events: TraceEvent[] = [];
  private readonly room: string;
  /** The clock of this machine, which the server's events go by, may have been set since the browser was started. */
  private readonly setMs = Date.now() - nowMs();
  /** Applied here and not yet handed to the socket, in order. */
  private readonly applied: { readonly id: string; readonly sinceMs: number }[] = [];
  /** Received, and since when they wait for the calculation. */
  private calculated: { readonly ids: readonly string[]; readonly sinceMs: number } = { ids: [], sinceMs: 0 };
  private toPaint: string[] = [];
  private painting: { readonly ids: readonly string[]; readonly sinceMs: number } | undefined;

  constructor(room: string) {
    this.room = room;
  }

  /** A key was pressed, the worker took it up, and its transactions are applied. */
  applies(ids: readonly string[], pressedMs: number, takenMs: number): void {
    const doneMs = nowMs();
    for (const id of ids) {
      this.span("key", id, pressedMs, takenMs);
      this.span("apply", id, takenMs, doneMs);
      this.applied.push({ id, sinceMs: doneMs });
    }
    this.waitForCalculation(ids, doneMs);
  }

  /** The socket was given the next transaction. */
  sends(): void {
    const first = this.applied.shift();
    if (first) {
      this.span("send", first.id, first.sinceMs, nowMs());
    }
  }

  /** The connection went; what was applied is sent again without being traced. */
  disconnects(): void {
    this.applied.length = 0;
  }

  /** Frames that came then are taken in, and with them these. */
  receives(ids: readonly string[], arrivedMs: number): void {
    const doneMs = nowMs();
    ids.forEach((id) => this.span("receive", id, arrivedMs, doneMs));
    this.waitForCalculation(ids, doneMs);
  }

  finishesCalculation(): void {
    const { ids, sinceMs } = this.calculated;
    if (ids.length > 0) {
      const doneMs = nowMs();
      ids.forEach((id) => this.span("recalculate", id, sinceMs, doneMs));
      this.toPaint.push(...ids);
      this.calculated = { ids: [], sinceMs: 0 };
    }
  }

  /** The page was given the cells as they are now. */
  postsWindow(): void {
    this.painting = { ids: this.toPaint, sinceMs: nowMs() };
    this.toPaint = [];
  }

  /** The page has drawn them. */
  paints(): void {
    const painting = this.painting;
    this.painting = undefined;
    painting?.ids.forEach((id) => this.span("paint", id, painting.sinceMs, nowMs()));
  }

  private waitForCalculation(ids: readonly string[], sinceMs: number): void {
    if (ids.length > 0) {
      const waiting = this.calculated.ids;
      this.calculated = { ids: [...waiting, ...ids], sinceMs: waiting.length > 0 ? this.calculated.sinceMs : sinceMs };
    }
  }

  private span(name: TraceStage, id: string, fromMs: number, toMs: number): void {
    if (this.events.length + 2 > EVENTS_MAX) {
      return;
    }
    const event = (ph: "b" | "e", ms: number): TraceEvent => ({
      name,
      cat: "transaction",
      ph,
      ts: Math.round((ms + this.setMs) * 1000),
      pid: 2,
      tid: 1,
      id,
      args: { room: this.room },
    });
    this.events.push(event("b", fromMs), event("e", Math.max(fromMs, toMs)));
  }
}
