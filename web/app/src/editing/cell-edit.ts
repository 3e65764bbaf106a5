/**
 * The edit of a cell. The field over the cell and the formula bar are two views of one edit.
 *
 * This class knows the two text fields and the marks of the grid for the edited cell and for
 * references; it sends entries to the model as commands.
 */

import {
  afterEdit,
  canPoint,
  changedFont,
  cycleAbsolute,
  type FontChange,
  fontOfRange,
  fontOnly,
  hasFonts,
  isFormula,
  moveReference,
  plain,
  type Pointed,
  insertReference,
  type Reference,
  references,
  runsOf,
  sheetPrefix,
  type TextRun,
  textRuns,
  withFont,
} from "@quadrille/editor";
import { type Cell, cellName, clampCell, type Grid, type Range, rangeName, sameCell, span } from "@quadrille/grid";
import type { CellDetails, Command, FormatChange } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { lockAt } from "../protection/index.ts";
import { forVisibleRows } from "../filter/index.ts";
import { isField } from "../form-controls/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { hasChips, validationAt } from "../validation/index.ts";
import { withLaterParts } from "../workbook/index.ts";

/** The state of an edit. */
export interface Edit {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  /** The fonts of the parts of the text. */
  readonly runs: readonly TextRun[];
  /** Whether the font of a part was changed. */
  readonly hasNewFonts: boolean;
  /** The previous text of the cell; `undefined` when typing replaces it. */
  readonly original: string | undefined;
  /** Whether the previous text has not arrived yet: what is typed will be appended to it. */
  readonly awaitsContent: boolean;
  /**
   * Whether typing started the edit: arrow keys then enter the text and move the selection,
   * otherwise they move the caret.
   */
  readonly isQuick: boolean;
  readonly surface: EditSurface;
  readonly pointed: Pointed | undefined;
}

/** The field that has the caret. */
export type EditSurface = "cell" | "bar";

/** A reference in the edited formula, with its color in the text and on the grid. */
export interface ColouredReference extends Reference {
  /** Index into `REFERENCE_COLOURS`; equal references have the same color. */
  readonly colour: number;
}

/**
 * Colors of references, in order. They are readable as text on a light background; the grid
 * lightens them on a dark one.
 */
export const REFERENCE_COLOURS = [0x1967d2, 0xb3261e, 0x7b3fb5, 0x137333, 0xb3530c, 0x0b7285, 0xb0195e] as const;

/** The edit in progress, if any. */
export class CellEdit {
  private readonly model: WorkbookModel;
  private readonly fields = new Map<EditSurface, HTMLTextAreaElement>();
  private readonly editSignal = createSignal<Edit>();
  readonly edit = this.editSignal[0];
  private setEdit(edit: Edit | undefined): void {
    this.editSignal[1](edit && this.withRuns(edit));
    this.showReferences();
  }

  /** The edit with fonts that follow a change of its text. */
  private withRuns(edit: Edit): Edit {
    const before = this.edit();
    if (!before || before.text === edit.text || before.runs !== edit.runs) {
      return edit;
    }
    const field = this.field(edit.surface);
    const caret = field?.value === edit.text ? field.selectionStart : edit.text.length;
    const chosen = this.chosenFont;
    this.chosenFont = undefined;
    const entered = caret - (edit.text.length - before.text.length);
    const font = chosen && chosen.position === entered ? chosen.font : undefined;
    const isPlain = font === undefined && !hasFonts(before.runs);
    return { ...edit, runs: isPlain ? plain(edit.text.length) : afterEdit(before.runs, before.text, edit.text, caret, font) };
  }

  /** The font of what is entered next at a position. */
  private chosenFont: { readonly position: number; readonly font: FontChange } | undefined;

  private readonly caretSignal = createSignal(0);
  /** Changes when the caret moves. */
  readonly caretMoved = this.caretSignal[0];
  private helpKeys: ((key: string) => boolean) | undefined;
  /** The typed text without a suggested completion. */
  private typedText = "";
  /**
   * An input method is composing text; setting the value of the field would end the composition.
   */
  isComposing = false;
  private pointedRange: Range | undefined;
  /** Corners of the range that is pointed at: the fixed one, and the one that keys move. */
  private pointedAnchor: Cell = { row: 0, column: 0 };
  private pointedHead: Cell = { row: 0, column: 0 };

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The references of the edited formula. */
  references(): readonly ColouredReference[] {
    const edit = this.edit();
    if (!edit) {
      return [];
    }
    const colours = new Map<string, number>();
    return references(edit.text, notation(), edit.cell).map((reference) => {
      const key = `${reference.sheet?.toLowerCase() ?? ""}!${rangeName(reference.range)}`;
      const colour = colours.get(key) ?? colours.size % REFERENCE_COLOURS.length;
      colours.set(key, colour);
      return { ...reference, colour };
    });
  }

  /** Draws boxes on the grid for the references to the current sheet. */
  showReferences(): void {
    const edit = this.edit();
    const currentSheet = this.model.sheet();
    const boxes = this.references().flatMap(({ sheet, range, colour }, id) => {
      const name = this.model.sheets().find((tab) => tab.id === currentSheet)?.name.toLowerCase();
      const isOnSheet = sheet === undefined ? edit?.sheet === currentSheet : sheet.toLowerCase() === name;
      return isOnSheet ? [{ id, range, color: REFERENCE_COLOURS[colour] ?? 0 }] : [];
    });
    this.grid?.setReferences(boxes);
  }

  private get grid(): Grid | undefined {
    return this.model.grid;
  }

  /** Connects one of the two fields. */
  attach(surface: EditSurface, field: HTMLTextAreaElement): void {
    this.fields.set(surface, field);
    field.addEventListener("selectionchange", () => this.caretSignal[1]((count) => count + 1));
  }

  /** Sets the handler that receives keys first while the list of functions is open. */
  setHelpKeys(take: (key: string) => boolean): void {
    this.helpKeys = take;
  }

  /** Whether the list of functions handles the key. */
  handleHelpKey(key: string): boolean {
    return this.edit() !== undefined && (this.helpKeys?.(key) ?? false);
  }

  field(surface: EditSurface): HTMLTextAreaElement | undefined {
    return this.fields.get(surface);
  }

  /** The text of the formula bar: the edited text, or the text of the active cell. */
  barText(): string {
    return this.edit()?.text ?? this.model.selectionDetails.text();
  }

  /**
   * Starts an edit of the content of a cell. If the content is not details yet, typed text is
   * appended to it when it arrives.
   */
  start(cell: Cell, surface: EditSurface = "cell"): void {
    if (this.edit() || !this.model.suggestions.checkCanEnter()) {
      return;
    }
    const details = this.model.selectionDetails.detailsOf(cell);
    if (details) {
      this.open(cell, details.editText, details, false, surface);
      this.placeCaret(details.editText.length, surface);
      return;
    }
    const sheet = this.model.sheetId();
    this.open(cell, "", undefined, false, surface);
    void this.model.session.query({ type: "cell", sheet, cell }).then((loaded) => {
      const edit = this.edit();
      if (edit && edit.sheet === sheet && sameCell(edit.cell, cell) && edit.awaitsContent) {
        const { text, runs } = appended(loaded, edit.text);
        this.setEdit({ ...edit, text, runs, original: loaded.editText, awaitsContent: false });
        // Only if the field still has the focus.
        if (document.activeElement === this.field(surface)) {
          this.placeCaret(text.length, surface);
        }
      }
    });
  }

  /** Starts an edit in the formula bar, which already shows the text of the active cell. */
  startInBar(text: string): void {
    const { active } = this.model.selection();
    if (!this.model.suggestions.canEnter()) {
      return;
    }
    const details = this.model.selectionDetails.detailsOf(active);
    if (details) {
      this.open(active, text, details, false, "bar");
    } else {
      this.start(active, "bar");
    }
  }

  /** Starts an edit that replaces the content of the active cell. */
  startWith(text: string): void {
    if (!this.model.suggestions.checkCanEnter()) {
      const field = this.fields.get("cell");
      if (field) {
        field.value = "";
      }
    } else {
      const { active } = this.model.selection();
      this.grid?.reveal(active);
      this.open(active, text, undefined, true, "cell");
    }
  }

  /** Opens an edit; `details` are those of the cell unless typing replaces its content. */
  private open(cell: Cell, text: string, details: CellDetails | undefined, isQuick: boolean, surface: EditSurface): void {
    const sheet = this.model.sheetId();
    const original = details?.editText;
    const lock = lockAt(this.model, cell);
    if (lock && lock.fields["warningOnly"] !== true) {
      withLaterParts(this.model, ({ describeProtection }) => this.model.toast(describeProtection(lock), true));
      this.fields.forEach((field, surface) => (field.value = surface === "bar" ? (original ?? this.barText()) : ""));
      this.model.focusCells();
      return;
    }
    this.typedText = text;
    this.chosenFont = undefined;
    const runs = details ? runsOf(details.editText, details.format.textRuns) : plain(text.length);
    const awaitsContent = details === undefined && !isQuick;
    const opened = { sheet, cell, text: original ?? text, runs, hasNewFonts: false, original, awaitsContent, isQuick, surface, pointed: undefined };
    this.setEdit(opened);
    if (text !== opened.text) {
      this.setEdit({ ...opened, text });
    }
    this.grid?.setEditing(cell);
    this.model.sendSelection();
  }

  /** Handles typed text in either field. */
  handleInput(text: string, surface: EditSurface): void {
    const edit = this.edit();
    const hasGrown = text.length > this.typedText.length;
    this.typedText = text;
    if (edit) {
      this.setEdit({ ...edit, text, surface, pointed: undefined });
      this.grid?.setTarget(undefined);
    } else if (surface === "cell") {
      if (this.openChoices(text)) {
        return;
      }
      this.startWith(text);
    }
    if (hasGrown) {
      this.suggestFromColumn(text, surface);
    }
  }

  /** Opens the list of a cell with chips, filtered by the first typed letter; returns whether it did. */
  private openChoices(text: string): boolean {
    const { active } = this.model.selection();
    const rule = validationAt(this.model, active);
    const isLetter = [...text].length === 1 && !isFormula(text) && text.trim() !== "";
    if (!rule || !hasChips(rule) || !isLetter || this.isComposing || !this.model.suggestions.canEnter() || lockAt(this.model, active)) {
      return false;
    }
    const field = this.fields.get("cell");
    if (field) {
      field.value = "";
    }
    this.typedText = "";
    this.model.controlPressed(active, "list", text);
    return true;
  }

  /** Types a letter that was queued behind earlier keys. */
  type(letter: string): void {
    if (letter === "") {
      return;
    }
    if (this.edit()) {
      this.insert(letter);
    } else {
      this.handleInput(letter, "cell");
    }
  }

  /**
   * Completes the typed text from the texts of the column: the suggestion is selected, so that the
   * next letter replaces it.
   */
  private suggestFromColumn(typed: string, surface: EditSurface): void {
    const field = this.field(surface);
    const edit = this.edit();
    const canSuggest = edit?.isQuick && field?.selectionStart === typed.length && !isFormula(typed) && !typed.includes("\n");
    if (!edit || !field || !canSuggest || this.isComposing) {
      return;
    }
    const { sheet, cell } = edit;
    void this.model.session.query({ type: "similar", sheet, cell, typed }).then((suggestion) => {
      const current = this.edit();
      if (suggestion === null || current?.text !== typed || this.isComposing || field.selectionStart !== typed.length) {
        return;
      }
      // The typed part keeps its capitalization, as the text may continue differently.
      const text = typed + suggestion.slice(typed.length);
      this.setEdit({ ...current, text });
      field.value = text;
      field.setSelectionRange(typed.length, text.length);
    });
  }

  /** Moves the edit to the field that got the focus. */
  focused(surface: EditSurface): void {
    const edit = this.edit();
    if (edit && edit.surface !== surface) {
      this.setEdit({ ...edit, surface, isQuick: false });
    }
  }

  /** F2: toggles what arrow keys do. */
  toggleQuick(): void {
    const edit = this.edit();
    if (edit) {
      this.setEdit({ ...edit, isQuick: !edit.isQuick });
    }
  }

  /** Moves the edit when rows or columns have moved the cell. */
  moveTo(cell: Cell): void {
    const edit = this.edit();
    if (edit) {
      this.setEdit({ ...edit, cell });
      this.grid?.setEditing(cell);
    }
  }

  /** Inserts text at the caret. */
  insert(inserted: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (edit && field) {
      field.setRangeText(inserted, field.selectionStart, field.selectionEnd, "end");
      this.handleInput(field.value, edit.surface);
    }
  }

  /** Replaces the letters from `start` to the caret by the name of a function. */
  complete(start: number, name: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (edit && field) {
      field.setRangeText(name, start, field.selectionStart, "end");
      const caret = field.selectionStart;
      this.handleInput(field.value, edit.surface);
      this.placeCaret(caret, edit.surface);
    }
  }

  /** Focuses a field and sets its caret. */
  placeCaret(position: number, surface: EditSurface): void {
    const field = this.field(surface);
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(position, position);
  }

  /**
   * Ends the edit and enters the text, into every selected cell if `everywhere`; does nothing
   * without an edit.
   */
  commit(everywhere = false): void {
    const edit = this.edit();
    if (!edit) {
      return;
    }
    this.end();
    if (everywhere) {
      const { sheet, cell, text } = edit;
      for (const range of this.model.selection().ranges.map(rangeName)) {
        const command = forVisibleRows(sheet, { type: "typeEverywhere", sheet, range, text });
        const format = formatOf(edit, range, this.cellFormat(edit));
        this.model.entryChecks.enter({ sheet, cell, text, command, format: format && forVisibleRows(sheet, format) }, () => {});
      }
    } else if (edit.awaitsContent) {
      // The typed text is appended to the content.
      const { sheet, cell, text } = edit;
      this.model.keys.waitForAnswer(this.model.session.query({ type: "cell", sheet, cell }), (loaded) => {
        if (text !== "") {
          this.enter({ ...edit, ...appended(loaded, text) });
        }
      });
    } else if (edit.text !== edit.original) {
      this.enter(edit);
    } else if (edit.hasNewFonts) {
      const { sheet, cell, text, runs } = edit;
      this.model.command({ type: "format", sheet, range: cellName(cell), format: { textRuns: textRuns(text, runs) } });
      this.model.autoFit.setEntered(cell);
    }
  }

  private enter(edit: Edit): void {
    const { sheet, cell, text } = edit;
    if (edit.original === undefined && !isFormula(text) && isField(this.model, sheet, cell)) {
      // What is typed over a form control is its value.
      withLaterParts(this.model, ({ enterValue }) => this.model.keys.waitFor(enterValue(this.model, sheet, cell, text)));
      return;
    }
    const command = { type: "typeText", sheet, cell: cellName(cell), text } as const;
    const format = formatOf(edit, cellName(cell), this.cellFormat(edit));
    this.model.entryChecks.enter({ sheet, cell, text, command, format }, () => {
      this.model.autoFit.setEntered(cell);
      this.model.announcer.setEntered(cell);
    });
  }

  /** Ends the edit without entering the text. */
  cancel(): void {
    if (this.edit()) {
      this.end();
    }
  }

  private end(): void {
    const edit = this.edit();
    this.typedText = "";
    this.setEdit(undefined);
    this.grid?.setEditing(undefined);
    this.grid?.setTarget(undefined);
    if (edit && edit.sheet !== this.model.sheet()) {
      // References to another sheet were being picked.
      this.model.returnTo(edit.sheet);
    }
    this.model.focusCells();
    this.model.sendSelection();
  }

  // ---- fonts of parts of the text ----

  /** Whether the field shows more than plain text: a formula, or fonts of parts of a text. */
  hasHighlight(): boolean {
    const edit = this.edit();
    return edit !== undefined && (isFormula(edit.text) || hasFonts(edit.runs));
  }

  /**
   * The attributes of the selected letters, or of what is entered next; `undefined` outside of an edit of a
   * text.
   */
  selectedFont(): FontChange | undefined {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    this.caretMoved();
    if (!edit || !field || isFormula(edit.text)) {
      return undefined;
    }
    const { selectionStart: start, selectionEnd: end } = field;
    const font = fontOfRange(edit.runs, start, end, this.cellFormat(edit));
    return start === end && this.chosenFont?.position === start ? { ...font, ...this.chosenFont.font } : font;
  }

  /** Changes the font of the selected letters. Returns false if there are none, or it is no change of a font. */
  formatSelection(format: FormatChange): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    const change = fontOnly(format);
    if (!edit || !field || !change || isFormula(edit.text) || field.selectionStart === field.selectionEnd) {
      return false;
    }
    const { selectionStart: start, selectionEnd: end } = field;
    this.setEdit({ ...edit, runs: withFont(edit.runs, start, end, change, this.cellFormat(edit)), hasNewFonts: true });
    field.focus({ preventScroll: true });
    field.setSelectionRange(start, end);
    return true;
  }

  /** Toggles an attribute of the selected letters. Returns false if there are none. */
  toggleSelection(attribute: FontToggle | "wrap"): boolean {
    return attribute !== "wrap" && this.formatSelection({ [attribute]: this.selectedFont()?.[attribute] !== true });
  }

  /** Toggles an attribute of the selected letters, or of what is entered next. */
  toggleFont(attribute: FontToggle): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    const font = this.selectedFont();
    if (edit && field && font && !this.toggleSelection(attribute)) {
      const position = field.selectionStart;
      this.chosenFont = { position, font: changedFont(font, { [attribute]: font[attribute] !== true }, this.cellFormat(edit)) };
      this.caretSignal[1]((count) => count + 1);
    }
  }

  private cellFormat({ cell }: Edit): FormatChange {
    return this.model.selectionDetails.detailsOf(cell)?.format ?? {};
  }

  // ---- picking references ----

  /** Whether a click on a cell inserts a reference. */
  isPointing(): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    return edit !== undefined && field !== undefined && canPoint(edit.text, field.selectionStart, edit.pointed);
  }

  /** Inserts or replaces the picked reference at the caret. */
  pointAt(range: Range): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (!edit || !field) {
      return;
    }
    const prefix = edit.sheet === this.model.sheet() ? "" : sheetPrefix(this.model.sheetName());
    const { text, pointed } = insertReference(edit.text, field.selectionStart, edit.pointed, prefix + notation().formatReference(range, edit.cell));
    this.setEdit({ ...edit, text, pointed });
    this.grid?.setTarget(range);
    this.pointedRange = range;
    this.pointedAnchor = { row: range.top, column: range.left };
    this.pointedHead = { row: range.bottom, column: range.right };
    field.value = text;
    this.placeCaret(pointed.end, edit.surface);
  }

  /** Replaces a reference whose box on the grid was dragged. */
  moveReference(id: number, range: Range, isDone: boolean): void {
    const edit = this.edit();
    const reference = this.references()[id];
    if (!edit || !reference) {
      return;
    }
    const { text, end } = moveReference(edit.text, reference, range, notation(), edit.cell);
    this.replaceText({ ...edit, text, pointed: undefined }, end);
    if (isDone) {
      this.grid?.setTarget(undefined);
    }
  }

  /**
   * F4: cycles the reference at the caret through relative and absolute forms. Returns whether
   * there was one.
   */
  cycleAbsolute(): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    const changed = edit && field && cycleAbsolute(edit.text, field.selectionStart, notation(), edit.cell);
    if (!edit || !changed) {
      return false;
    }
    const isPointed = edit.pointed !== undefined;
    const start = edit.pointed?.start ?? 0;
    this.replaceText({ ...edit, text: changed.text, pointed: isPointed ? { start, end: changed.end } : undefined }, changed.end);
    return true;
  }

  /** Replaces the edited formula by one that differs in whitespace alone. */
  replaceWhitespace(text: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (edit && field) {
      // Whitespace alone is no change of the cell.
      const original = edit.original === edit.text ? text : edit.original;
      this.replaceText({ ...edit, text, original, pointed: undefined }, sameLetter(edit.text, field.selectionStart, text));
    }
  }

  private replaceText(edit: Edit, caret: number): void {
    this.setEdit(edit);
    const field = this.field(edit.surface);
    if (field) {
      field.value = edit.text;
    }
    this.placeCaret(caret, edit.surface);
  }

  /** Continues the edit in the formula bar, as the cell is on another sheet. */
  moveToBar(): void {
    const edit = this.edit();
    if (edit) {
      const caret = this.field(edit.surface)?.selectionStart ?? edit.text.length;
      this.setEdit({ ...edit, surface: "bar" });
      const bar = this.field("bar");
      if (bar) {
        bar.value = edit.text;
      }
      this.placeCaret(caret, "bar");
    }
  }

  /** The cell from which arrow keys pick a reference; `undefined` when they do not. */
  get pointingOrigin(): Cell | undefined {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return undefined;
    }
    return edit.pointed && this.pointedRange ? this.pointedHead : edit.cell;
  }

  /** Moves the picked reference by arrow keys. Returns whether the formula accepts a reference. */
  pointByKey(rows: number, columns: number, extends_: boolean): boolean {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return false;
    }
    const from = edit.pointed && this.pointedRange ? this.pointedHead : edit.cell;
    this.pointTo(clampCell(from.row + rows, from.column + columns), extends_ && edit.pointed !== undefined);
    return true;
  }

  /** Picks the range up to `head`; with `extends_` the fixed corner stays. */
  pointTo(head: Cell, extends_: boolean): void {
    const anchor = extends_ ? this.pointedAnchor : head;
    this.pointAt(span(anchor, head));
    this.pointedAnchor = anchor;
    this.pointedHead = head;
    this.grid?.reveal(head);
  }
}

/** The attributes of a font that a key toggles. */
export type FontToggle = "bold" | "italic" | "underline" | "strikethrough";

/** The content of a cell with text typed behind it. */
function appended({ editText, format }: CellDetails, typed: string): Pick<Edit, "text" | "runs"> {
  const text = editText + typed;
  return { text, runs: afterEdit(runsOf(editText, format.textRuns), editText, text, text.length) };
}

/** The fonts of the parts of an entered text. A text of several lines is wrapped, as in Excel. */
function formatOf({ sheet, text, runs }: Edit, range: string, before: FormatChange): Command | undefined {
  const parts = isFormula(text) ? null : textRuns(text, runs);
  const isWrapped = !isFormula(text) && text.includes("\n") && before.wrap !== true;
  if (parts === null && !isWrapped) {
    return undefined;
  }
  const format = { ...(parts && { textRuns: parts }), ...(isWrapped && { wrap: true }) };
  return { type: "format", sheet, range, format };
}

/** The position in `after` behind the same letter as `position` in `before`, which differs in whitespace alone. */
function sameLetter(before: string, position: number, after: string): number {
  let letters = before.slice(0, position).replace(/\s/gu, "").length;
  let at = 0;
  for (; letters > 0 && at < after.length; at += 1) {
    letters -= /\s/u.test(after.charAt(at)) ? 0 : 1;
  }
  return at;
}
