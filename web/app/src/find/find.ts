/** State of find and replace: options, matches and the current match. */

import type { FoundCells, SearchScope } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { literalReplacement, similarPattern } from "./similar-text.ts";

/** Where to search. */
export type SearchArea = "sheet" | "workbook" | "selection";

/** The options of a search. */
export interface SearchOptions {
  readonly text: string;
  readonly isPattern: boolean;
  /** Words may have a typing error. Not with `isPattern`. */
  readonly isSimilar: boolean;
  readonly matchesCase: boolean;
  readonly wholeCell: boolean;
  readonly inFormulas: boolean;
  readonly scope: SearchArea;
}

const NO_RESULTS: FoundCells = { total: 0, cells: [], problem: null };
/** Delay of the search after the last key. */
const SEARCH_DELAY_MS = 150;

/** Find and replace for one workbook. */
export class FindModel {
  private readonly model: WorkbookModel;
  private readonly openSignal = createSignal<"closed" | "find" | "replace">("closed");
  private readonly optionsSignal = createSignal<SearchOptions>({
    text: "",
    isPattern: false,
    isSimilar: false,
    matchesCase: false,
    wholeCell: false,
    inFormulas: false,
    scope: "sheet",
  });
  private readonly resultsSignal = createSignal<FoundCells>(NO_RESULTS);
  private readonly positionSignal = createSignal<number>();
  readonly isOpen = this.openSignal[0];
  readonly options = this.optionsSignal[0];
  readonly results = this.resultsSignal[0];
  /** Index of the selected match. */
  readonly position = this.positionSignal[0];
  /** The range at the time when the scope "selection" was chosen. */
  private selection: SearchScope["range"] = null;
  private timer = 0;
  private searchCount = 0;
  /** The search field; `undefined` until the panel is loaded and rendered. */
  private field: HTMLInputElement | undefined;
  /** Text was typed before the field existed. */
  private hasEarlyText = false;
  /** Steps run one after the other, as each starts from the result of the previous one. */
  private steps: Promise<void> = Promise.resolve();

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  /** Opens the panel. */
  open(withReplace: boolean): void {
    this.model.cellEdit.commit();
    this.openSignal[1](withReplace ? "replace" : "find");
    if (this.options().text !== "") {
      this.change({});
    }
    this.focusField();
  }

  /** Connects the search field. */
  attach(field: HTMLInputElement): void {
    this.field = field;
    this.focusField();
  }

  /** Disconnects the search field. */
  detach(): void {
    this.field = undefined;
    this.hasEarlyText = false;
  }

  /** Whether the panel is being loaded; typed text is meant for it. */
  awaitsField(): boolean {
    return this.isOpen() !== "closed" && this.field === undefined;
  }

  /** Adds text that was typed before the field existed. */
  typeBeforeLoaded(text: string): void {
    this.change({ text: this.hasEarlyText ? this.options().text + text : text });
    this.hasEarlyText = true;
  }

  /** Focuses the field and selects its text, so that typing replaces it. */
  private focusField(): void {
    this.field?.focus();
    if (!this.hasEarlyText) {
      this.field?.select();
    }
  }

  /** Closes the panel. */
  close(): void {
    this.openSignal[1]("closed");
    this.hasEarlyText = false;
    this.model.focusCells();
  }

  /** Changes options and searches after a delay. */
  change(change: Partial<SearchOptions>): void {
    if (change.scope === "selection") {
      this.selection = this.model.range;
    }
    this.optionsSignal[1]({ ...this.options(), ...change });
    this.positionSignal[1](undefined);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.search(), SEARCH_DELAY_MS);
  }

  /** Searches again after cells changed or another sheet was opened. */
  changed(): void {
    if (this.isOpen() !== "closed" && this.options().text !== "") {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.search(), SEARCH_DELAY_MS);
    }
  }

  private searchScope(): SearchScope {
    const { scope, isSimilar, ...options } = this.options();
    return {
      ...options,
      ...(isSimilar && options.text.trim() !== "" && { text: similarPattern(options.text), isPattern: true }),
      sheet: scope === "workbook" ? null : this.model.sheetId(),
      range: scope === "selection" ? this.selection : null,
    };
  }

  private async search(): Promise<FoundCells> {
    window.clearTimeout(this.timer);
    if (this.options().text === "") {
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
    if (cells.some((cell) => cell.sheet === sheet && cell.row === active.row && cell.column === active.column)) {
      const range = { top: active.row, left: active.column, bottom: active.row, right: active.column };
      this.model.replace({ ...this.searchScope(), sheet, range }, this.replacementText(replacement), false);
    }
    await this.stepNow(1);
  }

  private replacementText(replacement: string): string {
    return this.options().isSimilar ? literalReplacement(replacement) : replacement;
  }

  /** Replaces all matches. */
  replaceAll(replacement: string): void {
    if (this.options().text !== "") {
      this.model.replace(this.searchScope(), this.replacementText(replacement), true);
    }
  }

  /** The name of the selected range. */
  selectionName(): string {
    const range = this.selection;
    return range ? notation().range(range) : t("Selection");
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
