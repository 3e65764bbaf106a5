/**
 * The cells in sight as an ARIA grid, for screen readers (and for tests, which read the same tree).
 *
 * Nodes are kept and only what differs is written: rebuilding 1,000 nodes costs several milliseconds.
 */

import { type Cell, cellName, COLUMNS_MAX, contains, type Range, ROWS_MAX } from "./address.ts";
import type { Cells } from "./cells.ts";
import { isLocked, type Locks, type OtherSelection } from "./scene.ts";
import type { View } from "./view.ts";
import { ENGLISH, type GridDescriptions } from "./words.ts";

/** A cell in sight that shows another text than before. */
export interface ChangedText {
  readonly cell: Cell;
  readonly text: string;
}

interface MirrorRow {
  readonly element: HTMLElement;
  readonly header: HTMLElement;
  readonly cells: HTMLElement[];
}

let grids = 0;

export class Mirror {
  readonly element: HTMLElement;
  private readonly idPrefix: string;
  private readonly headerRow: MirrorRow;
  private readonly rows: MirrorRow[] = [];
  /** By the first cell of each selection. */
  private others: ReadonlyMap<string, string> = new Map();
  private locks: Locks = { ranges: [], but: undefined };
  private changed: ChangedText[] = [];
  private words = ENGLISH;

  constructor(host: HTMLElement) {
    grids += 1;
    this.idPrefix = `grid-${grids}`;
    this.element = document.createElement("div");
    this.element.className = "grid-mirror";
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-rowcount", String(ROWS_MAX + 1));
    this.element.setAttribute("aria-colcount", String(COLUMNS_MAX + 1));
    this.element.setAttribute("aria-multiselectable", "true");
    this.headerRow = this.makeRow();
    this.headerRow.header.setAttribute("role", "columnheader");
    this.headerRow.header.textContent = this.words.row;
    set(this.headerRow.element, "aria-rowindex", "1");
    host.append(this.element);
  }

  dispose(): void {
    this.element.remove();
  }

  /** Id of the node of `cell`, for `aria-activedescendant`; none while there is no such node. */
  nodeId(cell: Cell): string | undefined {
    const id = this.idOf(cell);
    return this.element.querySelector(`#${id}`) ? id : undefined;
  }

  setWords(words: GridDescriptions): void {
    this.words = words;
    setText(this.headerRow.header, words.row);
  }

  /** Says which cells that were in sight before show something else now. */
  update(
    label: string,
    cells: Cells,
    view: View,
    selected: readonly Range[],
    others: readonly OtherSelection[],
    locks: Locks,
  ): readonly ChangedText[] {
    const isSameSheet = this.element.getAttribute("aria-label") === label;
    this.changed = [];
    this.locks = locks;
    this.others = new Map(
      others.map(({ range, name }) => [cellName({ row: range.top, column: range.left }), this.words.isHere(name)]),
    );
    set(this.element, "aria-label", label);
    const shown = shownLines(view);
    this.fitCells(this.headerRow, shown.columns.length, "columnheader");
    shown.columns.forEach((column, at) => {
      const node = this.headerRow.cells[at];
      if (node) {
        set(node, "aria-colindex", String(column + 2));
        setText(node, this.words.column(column));
      }
    });
    while (this.rows.length < shown.rows.length) {
      this.rows.push(this.makeRow());
    }
    while (this.rows.length > shown.rows.length) {
      this.rows.pop()?.element.remove();
    }
    shown.rows.forEach((row, at) => {
      const mirrorRow = this.rows[at];
      if (mirrorRow) {
        this.updateRow(mirrorRow, row, shown.columns, cells, selected);
      }
    });
    return isSameSheet ? this.changed : [];
  }

  private updateRow(
    mirrorRow: MirrorRow,
    row: number,
    columns: readonly number[],
    cells: Cells,
    selected: readonly Range[],
  ): void {
    set(mirrorRow.element, "aria-rowindex", String(row + 2));
    setText(mirrorRow.header, String(row + 1));
    const { words } = this;
    this.fitCells(mirrorRow, columns.length, "gridcell");
    mirrorRow.cells.forEach((node, at) => {
      const cell = { row, column: columns[at] ?? 0 };
      const found = cells.at(cell);
      const id = this.idOf(cell);
      const isKnown = node.id === id;
      if (!isKnown) {
        node.id = id;
        node.dataset["cell"] = cellName(cell);
        set(node, "aria-colindex", String(cell.column + 2));
      }
      const mark = found?.window.mark(found.index);
      const merge = found?.window.merge(found.index);
      const isFirst = merge?.top === row && merge.left === cell.column;
      // Of merged cells the first one speaks.
      const text = found && (!merge || isFirst) ? found.window.text(found.index) : "";
      const shown = mark?.spark && mark.hidesValue ? words.spark(mark.spark.values) : text;
      const spoken = mark?.isChecked === undefined ? shown : mark.isChecked ? words.checked : words.notChecked;
      if (isKnown && found && node.textContent !== spoken) {
        this.changed.push({ cell, text: spoken });
      }
      setText(node, spoken);
      set(node, "aria-selected", String(selected.some((range) => contains(range, cell))));
      setOrRemove(node, "aria-rowspan", merge && isFirst ? String(merge.bottom - merge.top + 1) : undefined);
      setOrRemove(node, "aria-colspan", merge && isFirst ? String(merge.right - merge.left + 1) : undefined);
      const facts = [
        this.others.get(cellName(cell)),
        mark?.note === undefined ? undefined : words.note(mark.note),
        mark?.hasComment ? words.hasComments : undefined,
        mark?.link === undefined ? undefined : words.link(mark.link),
        mark?.spark && !mark.hidesValue ? words.spark(mark.spark.values) : undefined,
        mark?.hasList ? words.fromList : undefined,
        mark?.isInvalid ? words.isInvalid : undefined,
      ].filter((fact) => fact !== undefined);
      setOrRemove(node, "aria-readonly", isLocked(this.locks, cell) ? "true" : undefined);
      setOrRemove(node, "aria-invalid", mark?.isInvalid ? "true" : undefined);
      setOrRemove(node, "aria-description", facts.length > 0 ? facts.join(", ") : undefined);
    });
  }

  private idOf(cell: Cell): string {
    return `${this.idPrefix}-${cellName(cell)}`;
  }

  private makeRow(): MirrorRow {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    const header = document.createElement("div");
    header.setAttribute("role", "rowheader");
    header.setAttribute("aria-colindex", "1");
    element.append(header);
    this.element.append(element);
    return { element, header, cells: [] };
  }

  private fitCells(mirrorRow: MirrorRow, count: number, role: string): void {
    while (mirrorRow.cells.length < count) {
      const node = document.createElement("div");
      node.setAttribute("role", role);
      mirrorRow.element.append(node);
      mirrorRow.cells.push(node);
    }
    while (mirrorRow.cells.length > count) {
      mirrorRow.cells.pop()?.remove();
    }
  }
}

function set(node: Element, attribute: string, value: string): void {
  if (node.getAttribute(attribute) !== value) {
    node.setAttribute(attribute, value);
  }
}

function setOrRemove(node: Element, attribute: string, value: string | undefined): void {
  if (value !== undefined) {
    set(node, attribute, value);
  } else if (node.hasAttribute(attribute)) {
    node.removeAttribute(attribute);
  }
}

/** Rows and columns on screen, frozen ones first, hidden ones left out. */
function shownLines({ panes, rows, columns }: View): { readonly rows: readonly number[]; readonly columns: readonly number[] } {
  const shownRows = new Set<number>();
  const shownColumns = new Set<number>();
  for (const { visible } of panes) {
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      if (rows.isHidden(row)) {
        row = Math.max(row, rows.shownFrom(row, 1) - 1);
      } else {
        shownRows.add(row);
      }
    }
    for (let column = visible.left; column <= visible.right; column += 1) {
      if (!columns.isHidden(column)) {
        shownColumns.add(column);
      }
    }
  }
  const ordered = (lines: ReadonlySet<number>): number[] => [...lines].sort((a, b) => a - b);
  return { rows: ordered(shownRows), columns: ordered(shownColumns) };
}

/** Keeps the node of the letters: `textContent` makes another one each time, and a day of edits millions. */
function setText(node: Element, text: string): void {
  const letters = node.firstChild;
  if (!(letters instanceof Text)) {
    if (text !== "") {
      node.textContent = text;
    }
  } else if (letters.data !== text) {
    letters.data = text;
  }
}
