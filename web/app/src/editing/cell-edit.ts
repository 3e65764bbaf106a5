/**
 * A cell being typed into. The field over the cell and the formula bar are two views of one edit.
 *
 * Knows the two text fields and the grid's marks for what is edited and pointed at; what is entered goes to the
 * model as a command.
 */

import {
  canPoint,
  cycleAbsolute,
  isFormula,
  moveReference,
  type Pointed,
  insertReference,
  type Reference,
  references,
  sheetPrefix,
} from "@quadrille/editor";
import { type Cell, cellName, clampCell, type Grid, type Range, rangeName, sameCell, span } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { describeProtection, lockAt } from "../protection/index.ts";
import { forVisibleRows } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";

export interface Edit {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  /** What the cell held before; unknown when typing replaces it. */
  readonly original: string | undefined;
  /** Started by typing: arrow keys enter the text and move. Otherwise they move the caret. */
  readonly isQuick: boolean;
  readonly surface: EditSurface;
  readonly pointed: Pointed | undefined;
}

/** Which of the two fields has the caret. */
export type EditSurface = "cell" | "bar";

/** A reference in the formula being typed, with the colour that it has in the text and on the grid. */
export interface ColouredReference extends Reference {
  /** Equal for equal cells. */
  readonly colour: number;
}

/** Of references, in their order; readable as text on paper, and half of them lightenedForDark on dark paper. */
export const REFERENCE_COLOURS = [0x1967d2, 0xb3261e, 0x7b3fb5, 0x137333, 0xb3530c, 0x0b7285, 0xb0195e] as const;

export class CellEdit {
  private readonly model: WorkbookModel;
  private readonly fields = new Map<EditSurface, HTMLTextAreaElement>();
  private readonly editSignal = createSignal<Edit>();
  readonly edit = this.editSignal[0];
  private setEdit(edit: Edit | undefined): void {
    this.editSignal[1](edit);
    this.showReferences();
  }
  private readonly caretSignal = createSignal(0);
  /** Read by whoever depends on where the caret is. */
  readonly caretMoved = this.caretSignal[0];
  private helpKeys: ((key: string) => boolean) | undefined;
  /** By the keys, without what was offered. */
  private typedText = "";
  /** An input method is at work on the letters; writing into the field would end that. */
  isComposing = false;
  private pointedRange: Range | undefined;
  /** The corners of the range pointed at: the one that stays and the one that keys move. */
  private pointedAnchor: Cell = { row: 0, column: 0 };
  private pointedHead: Cell = { row: 0, column: 0 };

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The references of the formula being typed. */
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

  /** Those to the sheet on screen have boxes on the grid. */
  showReferences(): void {
    const edit = this.edit();
    const shown = this.model.sheet();
    const boxes = this.references().flatMap(({ sheet, range, colour }, id) => {
      const name = this.model.sheets().find((tab) => tab.id === shown)?.name.toLowerCase();
      const isHere = sheet === undefined ? edit?.sheet === shown : sheet.toLowerCase() === name;
      return isHere ? [{ id, range, color: REFERENCE_COLOURS[colour] ?? 0 }] : [];
    });
    this.grid?.setReferences(boxes);
  }

  private get grid(): Grid | undefined {
    return this.model.grid;
  }

  attach(surface: EditSurface, field: HTMLTextAreaElement): void {
    this.fields.set(surface, field);
    field.addEventListener("selectionchange", () => this.caretSignal[1]((count) => count + 1));
  }

  /** The list of functions takes these keys while it shows. */
  setHelpKeys(take: (key: string) => boolean): void {
    this.helpKeys = take;
  }

  helpTakes(key: string): boolean {
    return this.edit() !== undefined && (this.helpKeys?.(key) ?? false);
  }

  field(surface: EditSurface): HTMLTextAreaElement | undefined {
    return this.fields.get(surface);
  }

  /** The text of the active cell as the formula bar shows it. */
  barText(): string {
    return this.edit()?.text ?? this.model.selectionDetails.text();
  }

  /** Edits what the cell holds. What is typed before that is known comes after it. */
  start(cell: Cell, surface: EditSurface = "cell"): void {
    if (this.edit() || !this.model.checkCanEdit()) {
      return;
    }
    const known = this.model.selectionDetails.detailsOf(cell);
    if (known) {
      this.begin(cell, known.editText, known.editText, false, surface);
      this.placeCaret(known.editText.length, surface);
      return;
    }
    const sheet = this.model.sheetId();
    this.begin(cell, "", undefined, false, surface);
    void this.model.session.query({ type: "cell", sheet, cell }).then(({ editText }) => {
      const edit = this.edit();
      if (edit && edit.sheet === sheet && sameCell(edit.cell, cell) && edit.original === undefined) {
        const text = editText + edit.text;
        this.setEdit({ ...edit, text, original: editText });
        // Who types elsewhere by now keeps the keyboard.
        if (document.activeElement === this.field(surface)) {
          this.placeCaret(text.length, surface);
        }
      }
    });
  }

  /** The formula bar got the caret: its text is that of the active cell already. */
  startInBar(text: string): void {
    const { active } = this.model.selection();
    if (!this.model.canType()) {
      return;
    }
    const known = this.model.selectionDetails.detailsOf(active);
    if (known) {
      this.begin(active, text, known.editText, false, "bar");
    } else {
      this.start(active, "bar");
    }
  }

  /** Typing into a cell replaces what it holds. */
  startWith(text: string): void {
    if (!this.model.checkCanEdit()) {
      const field = this.fields.get("cell");
      if (field) {
        field.value = "";
      }
    } else {
      const { active } = this.model.selection();
      this.grid?.reveal(active);
      this.begin(active, text, undefined, true, "cell");
    }
  }

  private begin(cell: Cell, text: string, original: string | undefined, isQuick: boolean, surface: EditSurface): void {
    const sheet = this.model.sheetId();
    const lock = lockAt(this.model, cell);
    if (lock && lock.fields["warningOnly"] !== true) {
      this.model.toast(describeProtection(lock), true);
      this.fields.forEach((field, at) => (field.value = at === "bar" ? (original ?? this.barText()) : ""));
      this.model.focusCells();
      return;
    }
    this.typedText = text;
    this.setEdit({ sheet, cell, text, original, isQuick, surface, pointed: undefined });
    this.grid?.setEditing(cell);
    this.model.tellSelection();
  }

  /** The text changed by typing, in either field. */
  typed(text: string, surface: EditSurface): void {
    const edit = this.edit();
    const grew = text.length > this.typedText.length;
    this.typedText = text;
    if (edit) {
      this.setEdit({ ...edit, text, surface, pointed: undefined });
      this.grid?.setTarget(undefined);
    } else if (surface === "cell") {
      this.startWith(text);
    }
    if (grew) {
      this.finishAsColumn(text, surface);
    }
  }

  /** A letter that waited for the keys before it. */
  type(letter: string): void {
    if (letter === "") {
      return;
    }
    if (this.edit()) {
      this.insert(letter);
    } else {
      this.typed(letter, "cell");
    }
  }

  /** What is typed may be in the column already: its rest is offered, selected, and goes with the next letter. */
  private finishAsColumn(typed: string, surface: EditSurface): void {
    const field = this.field(surface);
    const edit = this.edit();
    const isOffered = edit?.isQuick && field?.selectionStart === typed.length && !isFormula(typed) && !typed.includes("\n");
    if (!edit || !field || !isOffered || this.isComposing) {
      return;
    }
    const { sheet, cell } = edit;
    void this.model.session.query({ type: "similar", sheet, cell, typed }).then((found) => {
      const now = this.edit();
      if (found === null || now?.text !== typed || this.isComposing || field.selectionStart !== typed.length) {
        return;
      }
      // What was typed stays as it was typed, capitals and all: the text may go on differently.
      const text = typed + found.slice(typed.length);
      this.setEdit({ ...now, text });
      field.value = text;
      field.setSelectionRange(typed.length, text.length);
    });
  }

  focused(surface: EditSurface): void {
    const edit = this.edit();
    if (edit && edit.surface !== surface) {
      this.setEdit({ ...edit, surface, isQuick: false });
    }
  }

  /** F2 changes what the arrow keys do. */
  toggleQuick(): void {
    const edit = this.edit();
    if (edit) {
      this.setEdit({ ...edit, isQuick: !edit.isQuick });
    }
  }

  /** The cell is elsewhere now. */
  moveTo(cell: Cell): void {
    const edit = this.edit();
    if (edit) {
      this.setEdit({ ...edit, cell });
      this.grid?.setEditing(cell);
    }
  }

  insert(inserted: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (edit && field) {
      field.setRangeText(inserted, field.selectionStart, field.selectionEnd, "end");
      this.typed(field.value, edit.surface);
    }
  }

  /** Puts a function's name in place of the letters that it was found by. */
  complete(start: number, name: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    if (edit && field) {
      field.setRangeText(name, start, field.selectionStart, "end");
      const caret = field.selectionStart;
      this.typed(field.value, edit.surface);
      this.placeCaret(caret, edit.surface);
    }
  }

  placeCaret(at: number, surface: EditSurface): void {
    const field = this.field(surface);
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(at, at);
  }

  /** Enters what was typed, on request into every selected cell; does nothing when nothing is being typed. */
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
        this.model.entryChecks.enter({ sheet, cell, text, command }, () => {});
      }
    } else if (edit.original === undefined && !edit.isQuick) {
      // Faster than the engine told what the cell holds: what was typed comes after it.
      const { sheet, cell, text } = edit;
      this.model.keys.ask(this.model.session.query({ type: "cell", sheet, cell }), ({ editText }) => {
        if (text !== "") {
          this.enter(edit, editText + text);
        }
      });
    } else if (edit.text !== edit.original) {
      this.enter(edit, edit.text);
    }
  }

  private enter({ sheet, cell }: Edit, text: string): void {
    const command = { type: "typeText", sheet, cell: cellName(cell), text } as const;
    this.model.entryChecks.enter({ sheet, cell, text, command }, () => {
      this.model.autoFit.setEntered(cell);
      this.model.announcer.setEntered(cell);
    });
  }

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
      // A formula was pointed into another sheet.
      this.model.returnTo(edit.sheet);
    }
    this.model.focusCells();
    this.model.tellSelection();
  }

  // Naming cells by pointing at them

  isPointing(): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.surface);
    return edit !== undefined && field !== undefined && canPoint(edit.text, field.selectionStart, edit.pointed);
  }

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

  /** A reference of the formula was dragged to other cells. */
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

  /** F4. */
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

  private replaceText(edit: Edit, caret: number): void {
    this.setEdit(edit);
    const field = this.field(edit.surface);
    if (field) {
      field.value = edit.text;
    }
    this.placeCaret(caret, edit.surface);
  }

  /** The formula goes on while another sheet is shown: in the bar, because its cell is out of sight. */
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

  /** Where pointing by keys starts from. */
  get pointedFrom(): Cell | undefined {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return undefined;
    }
    return edit.pointed && this.pointedRange ? this.pointedHead : edit.cell;
  }

  /** Arrow keys point when a formula waits for a reference; whether they did. */
  pointByKey(rows: number, columns: number, extends_: boolean): boolean {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return false;
    }
    const from = edit.pointed && this.pointedRange ? this.pointedHead : edit.cell;
    this.pointTo(clampCell(from.row + rows, from.column + columns), extends_ && edit.pointed !== undefined);
    return true;
  }

  /** `extends_` keeps the corner where pointing began. */
  pointTo(head: Cell, extends_: boolean): void {
    const anchor = extends_ ? this.pointedAnchor : head;
    this.pointAt(span(anchor, head));
    this.pointedAnchor = anchor;
    this.pointedHead = head;
    this.grid?.reveal(head);
  }
}
