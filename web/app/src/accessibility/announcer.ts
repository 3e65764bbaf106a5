/**
 * What a screen reader is told beyond what is selected: results of what was entered, and what others change nearby.
 * A reader that never stops talking is of no use, so nearby changes wait for one another.
 */

import { type Cell, type ChangedText, sameCell } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/** Changes shown this soon after the engine took an entry in are its results. */
const OWN_MS = 1_500;
/** Between two announcements of what others change. */
const OTHERS_MS = 5_000;
/** Nearby: this far from the active cell. */
const ROWS_NEAR = 10;
const COLUMNS_NEAR = 5;

export class Announcer {
  private readonly textSignal = createSignal("");
  /** Of the live region. */
  readonly text = this.textSignal[0];
  private entered: { readonly cell: Cell; readonly untilMs: number } | undefined;
  private waiting = new Map<string, string>();
  private timer = 0;
  private saidAtMs = Number.NEGATIVE_INFINITY;

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  /** Something was entered here. */
  setEntered(cell: Cell): void {
    this.entered = { cell, untilMs: Number.POSITIVE_INFINITY };
  }

  /** Own edits that are no entries: their effects are not announced as others'. */
  changedByUser(): void {
    this.entered = { cell: { row: -1, column: -1 }, untilMs: Number.POSITIVE_INFINITY };
  }

  /** The engine has taken in what was entered. */
  entryTaken(): void {
    if (this.entered?.untilMs === Number.POSITIVE_INFINITY) {
      this.entered = { ...this.entered, untilMs: performance.now() + OWN_MS };
    }
  }

  textsChanged(changed: readonly ChangedText[], active: Cell): void {
    const { entered } = this;
    if (entered && performance.now() < entered.untilMs) {
      const result = changed.find(({ cell }) => sameCell(cell, entered.cell));
      if (result) {
        this.say(`${notation().cell(result.cell)} ${result.text}`);
      }
      return;
    }
    for (const { cell, text } of changed) {
      const isNear = Math.abs(cell.row - active.row) <= ROWS_NEAR && Math.abs(cell.column - active.column) <= COLUMNS_NEAR;
      if (isNear) {
        this.waiting.set(notation().cell(cell), text);
      }
    }
    if (this.waiting.size > 0 && this.timer === 0) {
      const wait = Math.max(0, this.saidAtMs + OTHERS_MS - performance.now());
      this.timer = window.setTimeout(() => this.sayWaiting(), wait);
    }
  }

  private sayWaiting(): void {
    this.timer = 0;
    const changes = [...this.waiting];
    this.waiting.clear();
    this.saidAtMs = performance.now();
    const [first] = changes;
    if (first && changes.length === 1) {
      this.say(t("{cell} is now {value}", { cell: first[0], value: first[1] === "" ? t("empty") : first[1] }));
    } else if (changes.length > 1) {
      this.say(t("{count} cells changed nearby", { count: changes.length }));
    }
  }

  /** The same words twice are told twice. */
  private say(text: string): void {
    this.textSignal[1]((before) => (before === text ? `${text}\u00a0` : text));
  }
}
