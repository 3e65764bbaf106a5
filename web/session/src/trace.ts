/**
 * The client's half of a trace: the stages of each transaction as events in the Chrome trace
 * format. The server's half (`quadrille serve --trace FILE`) uses the same transaction ids, so that
 * both can be merged: docs/operations-guide.md.
 */

/** Stages of a transaction in the client. */
export type TraceStage = "key" | "apply" | "send" | "receive" | "recalculate" | "paint";

/** Begin (`b`) or end (`e`) of a stage; `ts` is in microseconds of Unix time. */
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

/** Limit of a recording that is never ended; half an hour of fast typing. */
const EVENTS_MAX = 100_000;

/** Unix time in milliseconds by a monotonic clock. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Collects the events of one recording. */
export class Trace {
  readonly events: TraceEvent[] = [];
  private readonly room: string;
  /** Offset of the system clock, which the server uses, from the browser's monotonic clock. */
  private readonly clockOffsetMs = Date.now() - nowMs();
  /** Transactions that were applied and not yet sent, in order. */
  private readonly applied: { readonly id: string; readonly sinceMs: number }[] = [];
  /** Transactions that wait for the calculation, and since when. */
  private calculated: { readonly ids: readonly string[]; readonly sinceMs: number } = { ids: [], sinceMs: 0 };
  private toPaint: string[] = [];
  private painting: { readonly ids: readonly string[]; readonly sinceMs: number } | undefined;

  constructor(room: string) {
    this.room = room;
  }

  /** Records transactions of a local event: its input, its arrival in the worker, and now. */
  recordApplied(ids: readonly string[], pressedMs: number, dispatchedMs: number): void {
    const doneMs = nowMs();
    for (const id of ids) {
      this.span("key", id, pressedMs, dispatchedMs);
      this.span("apply", id, dispatchedMs, doneMs);
      this.applied.push({ id, sinceMs: doneMs });
    }
    this.waitForCalculation(ids, doneMs);
  }

  /** Records that the next transaction was sent. */
  recordSent(): void {
    const first = this.applied.shift();
    if (first) {
      this.span("send", first.id, first.sinceMs, nowMs());
    }
  }

  /** Drops unsent transactions after a disconnect; sending them again is not traced. */
  recordDisconnect(): void {
    this.applied.length = 0;
  }

  /** Records transactions whose frames arrived at `arrivedMs` and are now applied. */
  recordReceived(ids: readonly string[], arrivedMs: number): void {
    const doneMs = nowMs();
    ids.forEach((id) => this.span("receive", id, arrivedMs, doneMs));
    this.waitForCalculation(ids, doneMs);
  }

  /** Records the end of the calculation. */
  recordCalculated(): void {
    const { ids, sinceMs } = this.calculated;
    if (ids.length > 0) {
      const doneMs = nowMs();
      ids.forEach((id) => this.span("recalculate", id, sinceMs, doneMs));
      this.toPaint.push(...ids);
      this.calculated = { ids: [], sinceMs: 0 };
    }
  }

  /** Records that windows were posted to the main thread. */
  recordWindowPosted(): void {
    this.painting = { ids: this.toPaint, sinceMs: nowMs() };
    this.toPaint = [];
  }

  /** Records that these windows were painted. */
  recordPainted(): void {
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
      ts: Math.round((ms + this.clockOffsetMs) * 1000),
      pid: 2,
      tid: 1,
      id,
      args: { room: this.room },
    });
    this.events.push(event("b", fromMs), event("e", Math.max(fromMs, toMs)));
  }
}
