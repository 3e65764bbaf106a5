/** State of find and replace that lasts while the panel is closed: whether it is open, and the options. */

import type { SearchScope } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

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
  readonly isOpen = this.openSignal[0];
  readonly options = this.optionsSignal[0];
  /** The range at the time when the scope "selection" was chosen. */
  selection: SearchScope["range"] = null;
  /** The search field; `undefined` until the panel is loaded and rendered. */
  private field: HTMLInputElement | undefined;
  /** Text was typed before the field existed. */
  private hasEarlyText = false;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Opens the panel. */
  open(withReplace: boolean): void {
    this.model.cellEdit.commit();
    this.openSignal[1](withReplace ? "replace" : "find");
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

  /** Changes options; the panel then searches. */
  change(change: Partial<SearchOptions>): void {
    if (change.scope === "selection") {
      this.selection = this.model.range;
    }
    this.optionsSignal[1]({ ...this.options(), ...change });
  }

  /** The name of the selected range. */
  selectionName(): string {
    const range = this.selection;
    return range ? notation().range(range) : t("Selection");
  }
}
