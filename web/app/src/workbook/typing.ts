/**
 * A cell being typed into. The field over the cell and the formula bar are two views of one edit.
 *
 * Knows the two text fields and the grid's marks for what is edited and pointed at; what is entered goes to the
 * model as a command.
 */

import { canPoint, type Pointed, putReference } from "@quadrille/editor";
import { type Cell, cellName, clampCell, type Grid, type Range, rangeName, rangeOf, sameCell } from "@quadrille/grid";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "./model.ts";

export interface Edit {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  /** What the cell held before; unknown when typing replaces it. */
  readonly original: string | undefined;
  /** Started by typing: arrow keys enter the text and move. Otherwise they move the caret. */
  readonly isQuick: boolean;
  readonly place: EditPlace;
  readonly pointed: Pointed | undefined;
}

/** Which of the two fields has the caret. */
export type EditPlace = "cell" | "bar";

export class Typing {
  private readonly model: WorkbookModel;
  private readonly fields = new Map<EditPlace, HTMLTextAreaElement>();
  private readonly editSignal = createSignal<Edit>();
  readonly edit = this.editSignal[0];
  private readonly setEdit = this.editSignal[1];
  private readonly caretSignal = createSignal(0);
  /** Read by whoever depends on where the caret is. */
  readonly caretMoved = this.caretSignal[0];
  private helpKeys: ((key: string) => boolean) | undefined;
  private pointedRange: Range | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  private get grid(): Grid | undefined {
    return this.model.grid;
  }

  attach(place: EditPlace, field: HTMLTextAreaElement): void {
    this.fields.set(place, field);
    field.addEventListener("selectionchange", () => this.caretSignal[1]((count) => count + 1));
  }

  /** The list of functions takes these keys while it shows. */
  setHelpKeys(take: (key: string) => boolean): void {
    this.helpKeys = take;
  }

  helpTakes(key: string): boolean {
    return this.edit() !== undefined && (this.helpKeys?.(key) ?? false);
  }

  field(place: EditPlace): HTMLTextAreaElement | undefined {
    return this.fields.get(place);
  }

  /** The text of the active cell as the formula bar shows it. */
  barText(): string {
    return this.edit()?.text ?? this.model.figures.details()?.editText ?? "";
  }

  /** Edits what the cell holds. What is typed before that is known comes after it. */
  start(cell: Cell, place: EditPlace = "cell"): void {
    if (!this.model.mayType() || this.edit()) {
      return;
    }
    const known = this.model.figures.detailsOf(cell);
    if (known) {
      this.begin(cell, known.editText, known.editText, false, place);
      this.placeCaret(known.editText.length, place);
      return;
    }
    const sheet = this.model.sheetId();
    this.begin(cell, "", undefined, false, place);
    void this.model.session.ask({ type: "cell", sheet, cell }).then(({ editText }) => {
      const edit = this.edit();
      if (edit && edit.sheet === sheet && sameCell(edit.cell, cell) && edit.original === undefined) {
        const text = editText + edit.text;
        this.setEdit({ ...edit, text, original: editText });
        this.placeCaret(text.length, place);
      }
    });
  }

  /** The formula bar got the caret: its text is that of the active cell already. */
  startInBar(text: string): void {
    const { active } = this.model.selection();
    if (!this.model.mayType()) {
      return;
    }
    const known = this.model.figures.detailsOf(active);
    if (known) {
      this.begin(active, text, known.editText, false, "bar");
    } else {
      this.start(active, "bar");
    }
  }

  /** Typing into a cell replaces what it holds. */
  startWith(text: string): void {
    if (this.model.mayType()) {
      const { active } = this.model.selection();
      this.grid?.reveal(active);
      this.begin(active, text, undefined, true, "cell");
    }
  }

  private begin(cell: Cell, text: string, original: string | undefined, isQuick: boolean, place: EditPlace): void {
    const sheet = this.model.sheetId();
    this.setEdit({ sheet, cell, text, original, isQuick, place, pointed: undefined });
    this.grid?.setEditing(cell);
    this.model.tellSelection();
  }

  /** The text changed by typing, in either field. */
  typed(text: string, place: EditPlace): void {
    const edit = this.edit();
    if (edit) {
      this.setEdit({ ...edit, text, place, pointed: undefined });
      this.grid?.setTarget(undefined);
    } else if (place === "cell") {
      this.startWith(text);
    }
  }

  focused(place: EditPlace): void {
    const edit = this.edit();
    if (edit && edit.place !== place) {
      this.setEdit({ ...edit, place, isQuick: false });
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
    const field = edit && this.field(edit.place);
    if (edit && field) {
      field.setRangeText(inserted, field.selectionStart, field.selectionEnd, "end");
      this.typed(field.value, edit.place);
    }
  }

  /** Puts a function's name in place of the letters that it was found by. */
  complete(start: number, name: string): void {
    const edit = this.edit();
    const field = edit && this.field(edit.place);
    if (edit && field) {
      field.setRangeText(name, start, field.selectionStart, "end");
      const caret = field.selectionStart;
      this.typed(field.value, edit.place);
      this.placeCaret(caret, edit.place);
    }
  }

  placeCaret(at: number, place: EditPlace): void {
    const field = this.field(place);
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
      this.model.eachRange((range, sheet) => ({ type: "typeEverywhere", sheet, range, text: edit.text }));
    } else if (edit.original === undefined && !edit.isQuick) {
      // Faster than the engine told what the cell holds: what was typed comes after it.
      const { sheet, cell, text } = edit;
      void this.model.session
        .ask({ type: "cell", sheet, cell })
        .then(({ editText }) => text !== "" && this.enter(edit, editText + text));
    } else if (edit.text !== edit.original) {
      this.enter(edit, edit.text);
    }
  }

  private enter({ sheet, cell }: Edit, text: string): void {
    this.model.fitting.setEntered(cell);
    this.model.command({ type: "typeText", sheet, cell: cellName(cell), text });
  }

  cancel(): void {
    if (this.edit()) {
      this.end();
    }
  }

  private end(): void {
    this.setEdit(undefined);
    this.grid?.setEditing(undefined);
    this.grid?.setTarget(undefined);
    this.model.focusCells();
    this.model.tellSelection();
  }

  // Naming cells by pointing at them

  isPointing(): boolean {
    const edit = this.edit();
    const field = edit && this.field(edit.place);
    return edit !== undefined && field !== undefined && canPoint(edit.text, field.selectionStart, edit.pointed);
  }

  pointAt(range: Range): void {
    const edit = this.edit();
    const field = edit && this.field(edit.place);
    if (!edit || !field) {
      return;
    }
    const { text, pointed } = putReference(edit.text, field.selectionStart, edit.pointed, rangeName(range));
    this.setEdit({ ...edit, text, pointed });
    this.grid?.setTarget(range);
    this.pointedRange = range;
    field.value = text;
    this.placeCaret(pointed.end, edit.place);
  }

  /** Arrow keys point when a formula waits for a reference; whether they did. */
  pointByKey(rows: number, columns: number, extends_: boolean): boolean {
    const edit = this.edit();
    if (!edit?.isQuick || !this.isPointing()) {
      return false;
    }
    const from = edit.pointed && this.pointedRange ? this.pointedRange : rangeOf(edit.cell);
    const head = clampCell(from.bottom + rows, from.right + columns);
    const stretched = {
      ...from,
      bottom: Math.max(from.top, head.row),
      right: Math.max(from.left, head.column),
    };
    this.pointAt(extends_ ? stretched : rangeOf(head));
    this.grid?.reveal(head);
    return true;
  }
}
