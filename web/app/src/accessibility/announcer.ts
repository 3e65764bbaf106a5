/**
 * Announcements for screen readers beyond the selected cell: results of entries, and changes by
 * others nearby. Changes nearby are collected and announced at most every 5 s.
 */

import { type Cell, type ChangedText, sameCell } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

/** Changes within this time after the engine has processed an entry count as its results. */
const RESULT_WINDOW_MS = 1_500;
/** Minimum time between two announcements of changes by others. */
const ANNOUNCEMENT_INTERVAL_MS = 5_000;
/** Distance from the active cell within which changes are announced. */
const ROWS_NEAR = 10;
const COLUMNS_NEAR = 5;

/** Collects changes of displayed texts and turns them into announcements. */
export class Announcer {
  private readonly textSignal = createSignal("");
  /** Text of the live region. */
  readonly text = this.textSignal[0];
  private entered: { readonly cell: Cell; readonly untilMs: number } | undefined;
  private pending = new Map<string, string>();
  private timer = 0;
  private announcedAtMs = Number.NEGATIVE_INFINITY;

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  /** Marks a cell as entered, so that its result is announced. */
  setEntered(cell: Cell): void {
    this.entered = { cell, untilMs: Number.POSITIVE_INFINITY };
  }

  /**
   * Marks an edit that is not an entry, so that its effects are not announced as changes by others.
   */
  changedByUser(): void {
    this.entered = { cell: { row: -1, column: -1 }, untilMs: Number.POSITIVE_INFINITY };
  }

  /** Starts the time window for results: the engine has processed the entry. */
  entryProcessed(): void {
    if (this.entered?.untilMs === Number.POSITIVE_INFINITY) {
      this.entered = { ...this.entered, untilMs: performance.now() + RESULT_WINDOW_MS };
    }
  }

  /** Handles changed texts of displayed cells. */
  textsChanged(changed: readonly ChangedText[], active: Cell): void {
    const { entered } = this;
    if (entered && performance.now() < entered.untilMs) {
      const result = changed.find(({ cell }) => sameCell(cell, entered.cell));
      if (result) {
        this.announce(`${notation().cell(result.cell)} ${result.text}`);
      }
      return;
    }
    for (const { cell, text } of changed) {
      const isNear = Math.abs(cell.row - active.row) <= ROWS_NEAR && Math.abs(cell.column - active.column) <= COLUMNS_NEAR;
      if (isNear) {
        this.pending.set(notation().cell(cell), text);
      }
    }
    if (this.pending.size > 0 && this.timer === 0) {
      const wait = Math.max(0, this.announcedAtMs + ANNOUNCEMENT_INTERVAL_MS - performance.now());
      this.timer = window.setTimeout(() => this.announcePending(), wait);
    }
  }

  private announcePending(): void {
    this.timer = 0;
    const changes = [...this.pending];
    this.pending.clear();
    this.announcedAtMs = performance.now();
    const [first] = changes;
    if (first && changes.length === 1) {
      this.announce(t("{cell} is now {value}", { cell: first[0], value: first[1] === "" ? t("empty") : first[1] }));
    } else if (changes.length > 1) {
      this.announce(t("{count} cells changed nearby", { count: changes.length }));
    }
  }

  /** Announces a text. */
  announce(text: string): void {
    this.textSignal[1]((before) => announceable(text, before));
  }
}

/**
 * The text of an announcement after another one: a trailing no-break space makes a repeated text
 * different, so that it is announced again.
 */
export function announceable(text: string, before: string): string {
  return before === text ? `${text}\u00a0` : text;
}
