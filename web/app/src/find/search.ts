/** The search of the open panel: matches, the current match, and replacing. */

import type { FoundCells, SearchScope } from "@quadrille/protocol";
import { createEffect, createSignal, on, onCleanup } from "solid-js";
import { speakPlace } from "../accessibility/index.ts";
import { checkShowsCells } from "../sheets/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { literalReplacement, similarPattern } from "./similar-text.ts";

const NO_RESULTS: FoundCells = { total: 0, cells: [], problem: null };
/** Delay of the search after the last key. */
const SEARCH_DELAY_MS = 150;

/** Searches as long as the panel is open; must be created by its component. */
export class Search {
  private readonly model: WorkbookModel;
  private readonly resultsSignal = createSignal<FoundCells>(NO_RESULTS);
  private readonly positionSignal = createSignal<number>();
  readonly results = this.resultsSignal[0];
  /** Index of the selected match. */
  readonly position = this.positionSignal[0];
  private timer = 0;
  private searchCount = 0;
  /** Steps run one after the other, as each starts from the result of the previous one. */
  private steps: Promise<void> = Promise.resolve();

  constructor(model: WorkbookModel) {
    this.model = model;
    onCleanup(() => window.clearTimeout(this.timer));
    createEffect(
      on(model.findModel.options, () => {
        this.positionSignal[1](undefined);
        this.searchSoon();
      }),
    );
    // Matches change with cells, and with the sheet.
    createEffect(on([model.cellChanges, model.sheet], () => this.searchSoon(), { defer: true }));
  }

  private searchSoon(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.search(), SEARCH_DELAY_MS);
  }

  private searchScope(): SearchScope {
    const { scope, isSimilar, ...options } = this.model.findModel.options();
    return {
      ...options,
      ...(isSimilar && options.text.trim() !== "" && { text: similarPattern(options.text), isPattern: true }),
      sheet: scope === "workbook" ? null : this.model.sheetId(),
      range: scope === "selection" ? this.model.findModel.selection : null,
    };
  }

  private async search(): Promise<FoundCells> {
    window.clearTimeout(this.timer);
    if (this.model.findModel.options().text === "") {
      this.resultsSignal[1](NO_RESULTS);
      return NO_RESULTS;
    }
    this.searchCount += 1;
    const search = this.searchCount;
    const results = await this.model.session.query({ type: "find", search: this.searchScope() });
    if (search === this.searchCount) {
      this.resultsSignal[1](results);
    }
    return results;
  }

  /** Selects the next match after the active cell, or the previous one. */
  step(by: 1 | -1): void {
    this.steps = this.steps.then(() => this.stepNow(by));
  }

  private async stepNow(by: 1 | -1): Promise<void> {
    const { cells } = await this.search();
    if (cells.length === 0) {
      return;
    }
    const { active } = this.model.selection();
    const order = this.model.sheets().map((sheet) => sheet.id);
    const current = [order.indexOf(this.model.sheetId()), active.row, active.column] as const;
    const positions = cells.map((cell) => [order.indexOf(cell.sheet), cell.row, cell.column] as const);
    const next =
      by === 1 ? positions.findIndex((position) => compare(position, current) > 0) : positions.findLastIndex((position) => compare(position, current) < 0);
    const at = next >= 0 ? next : by === 1 ? 0 : cells.length - 1;
    this.show(at, cells[at]);
  }

  private show(at: number, cell: FoundCells["cells"][number] | undefined): void {
    if (cell) {
      this.positionSignal[1](at);
      if (cell.sheet !== this.model.sheet()) {
        this.model.openSheet(cell.sheet);
      }
      this.model.reveal({ row: cell.row, column: cell.column });
      speakPlace(this.model, false);
    }
  }

  /** Replaces the match in the active cell, if it is one, then selects the next. */
  replaceOne(replacement: string): void {
    this.steps = this.steps.then(() => this.replaceActive(replacement));
  }

  private async replaceActive(replacement: string): Promise<void> {
    const { active } = this.model.selection();
    const { cells } = await this.search();
    const sheet = this.model.sheetId();
    const isMatch = cells.some((cell) => cell.sheet === sheet && cell.row === active.row && cell.column === active.column);
    if (isMatch && !checkShowsCells(this.model)) {
      return;
    }
    if (isMatch) {
      const range = { top: active.row, left: active.column, bottom: active.row, right: active.column };
      this.model.replace({ ...this.searchScope(), sheet, range }, this.replacementText(replacement), false);
    }
    await this.stepNow(1);
  }

  private replacementText(replacement: string): string {
    return this.model.findModel.options().isSimilar ? literalReplacement(replacement) : replacement;
  }

  /** Replaces all matches. */
  replaceAll(replacement: string): void {
    const { scope, text } = this.model.findModel.options();
    if (text !== "" && (scope === "workbook" || checkShowsCells(this.model))) {
      this.model.replace(this.searchScope(), this.replacementText(replacement), true);
    }
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
