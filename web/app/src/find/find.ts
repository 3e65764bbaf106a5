/** Looking for something in the workbook: what, where it was found, and which of the places is shown. */

import type { FoundCells, SearchScope } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

export type SearchArea = "sheet" | "workbook" | "selection";

export interface SearchOptions {
  readonly text: string;
  readonly isPattern: boolean;
  readonly matchesCase: boolean;
  readonly wholeCell: boolean;
  readonly inFormulas: boolean;
  readonly scope: SearchArea;
}

const NOTHING: FoundCells = { total: 0, cells: [], problem: null };
/** After the last key, before the workbook is searched. */
const SEARCH_DELAY_MS = 150;

export class FindModel {
  private readonly model: WorkbookModel;
  private readonly openSignal = createSignal<"closed" | "find" | "replace">("closed");
  private readonly wishSignal = createSignal<SearchOptions>({
    text: "",
    isPattern: false,
    matchesCase: false,
    wholeCell: false,
    inFormulas: false,
    scope: "sheet",
  });
  private readonly foundSignal = createSignal<FoundCells>(NOTHING);
  private readonly shownSignal = createSignal<number>();
  readonly isOpen = this.openSignal[0];
  readonly wish = this.wishSignal[0];
  readonly found = this.foundSignal[0];
  /** Which of the found cells is selected. */
  readonly shown = this.shownSignal[0];
  /** What "selection" meant when it was chosen. */
  private selection: SearchScope["range"] = null;
  private timer = 0;
  private asked = 0;
  /** While the panel is shown, which is loaded when it is first asked for. */
  private field: HTMLInputElement | undefined;
  /** Something was typed before there was a field for it. */
  private hasTypedAhead = false;
  /** One step after the other: each starts from where the one before led. */
  private turn: Promise<void> = Promise.resolve();

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  open(withReplace: boolean): void {
    this.model.cellEdit.commit();
    this.openSignal[1](withReplace ? "replace" : "find");
    if (this.wish().text !== "") {
      this.change({});
    }
    this.focusField();
  }

  attach(field: HTMLInputElement): void {
    this.field = field;
    this.focusField();
  }

  detach(): void {
    this.field = undefined;
    this.hasTypedAhead = false;
  }

  /** The panel is on its way, and what is typed is meant for it. */
  awaitsField(): boolean {
    return this.isOpen() !== "closed" && this.field === undefined;
  }

  typeAhead(text: string): void {
    this.change({ text: this.hasTypedAhead ? this.wish().text + text : text });
    this.hasTypedAhead = true;
  }

  /** What was looked for before gives way to what is typed next. */
  private focusField(): void {
    this.field?.focus();
    if (!this.hasTypedAhead) {
      this.field?.select();
    }
  }

  close(): void {
    this.openSignal[1]("closed");
    this.hasTypedAhead = false;
    this.model.focusCells();
  }

  change(change: Partial<SearchOptions>): void {
    if (change.scope === "selection") {
      this.selection = this.model.range;
    }
    this.wishSignal[1]({ ...this.wish(), ...change });
    this.shownSignal[1](undefined);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.search(), SEARCH_DELAY_MS);
  }

  /** Cells changed, or another sheet is open. */
  changed(): void {
    if (this.isOpen() !== "closed" && this.wish().text !== "") {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.search(), SEARCH_DELAY_MS);
    }
  }

  private searchFor(): SearchScope {
    const { scope, ...wish } = this.wish();
    return {
      ...wish,
      sheet: scope === "workbook" ? null : this.model.sheetId(),
      range: scope === "selection" ? this.selection : null,
    };
  }

  private async search(): Promise<FoundCells> {
    window.clearTimeout(this.timer);
    if (this.wish().text === "") {
      this.foundSignal[1](NOTHING);
      return NOTHING;
    }
    this.asked += 1;
    const { asked } = this;
    const found = await this.model.session.query({ type: "find", search: this.searchFor() });
    if (asked === this.asked) {
      this.foundSignal[1](found);
    }
    return found;
  }

  /** Selects the next found cell after the active one, or the one before it. */
  step(by: 1 | -1): void {
    this.turn = this.turn.then(() => this.go(by));
  }

  private async go(by: 1 | -1): Promise<void> {
    const { cells } = await this.search();
    if (cells.length === 0) {
      return;
    }
    const { active } = this.model.selection();
    const order = this.model.sheets().map((sheet) => sheet.id);
    const here = [order.indexOf(this.model.sheetId()), active.row, active.column] as const;
    const places = cells.map((cell) => [order.indexOf(cell.sheet), cell.row, cell.column] as const);
    const next =
      by === 1 ? places.findIndex((place) => compare(place, here) > 0) : places.findLastIndex((place) => compare(place, here) < 0);
    const at = next >= 0 ? next : by === 1 ? 0 : cells.length - 1;
    this.show(at, cells[at]);
  }

  private show(at: number, cell: FoundCells["cells"][number] | undefined): void {
    if (cell) {
      this.shownSignal[1](at);
      if (cell.sheet !== this.model.sheet()) {
        this.model.openSheet(cell.sheet);
      }
      this.model.reveal({ row: cell.row, column: cell.column });
    }
  }

  /** Replaces in the active cell when it is one of those found, then goes on. */
  replaceOne(with_: string): void {
    this.turn = this.turn.then(() => this.replaceActive(with_));
  }

  private async replaceActive(with_: string): Promise<void> {
    const { active } = this.model.selection();
    const { cells } = await this.search();
    const sheet = this.model.sheetId();
    if (cells.some((cell) => cell.sheet === sheet && cell.row === active.row && cell.column === active.column)) {
      const range = { top: active.row, left: active.column, bottom: active.row, right: active.column };
      this.model.replace({ ...this.searchFor(), sheet, range }, with_, false);
    }
    await this.go(1);
  }

  replaceAll(with_: string): void {
    if (this.wish().text !== "") {
      this.model.replace(this.searchFor(), with_, true);
    }
  }

  placeName(): string {
    const range = this.selection;
    return range ? notation().range(range) : t("Selection");
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
