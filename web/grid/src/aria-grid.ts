/**
 * The visible cells as an ARIA grid, for screen readers and for tests.
 *
 * Nodes are reused and only differences are written: rebuilding 1,000 nodes takes several
 * milliseconds.
 */

import { type Cell, cellName, COLUMNS_MAX, contains, ROWS_MAX, sameCell } from "./address.ts";
import type { CellWindows } from "./cell-windows.ts";
import { isLocked, type Locks, type SuggestionMark, type OtherSelection } from "./render-state.ts";
import type { Selection } from "./selection.ts";
import type { View } from "./view.ts";
import { ENGLISH, type GridDescriptions } from "./descriptions.ts";

/** A visible cell whose text changed. */
export interface ChangedText {
  readonly cell: Cell;
  readonly text: string;
}

interface AriaRow {
  readonly element: HTMLElement;
  readonly header: HTMLElement;
  readonly cells: HTMLElement[];
}

let grids = 0;

/** Owns the DOM nodes with roles `grid`, `row` and `gridcell`. */
export class AriaGrid {
  readonly element: HTMLElement;
  private readonly idPrefix: string;
  private readonly headerRow: AriaRow;
  private readonly rows: AriaRow[] = [];
  /** Descriptions of the selections of other users, by the name of their first cell. */
  private others: ReadonlyMap<string, string> = new Map();
  private locks: Locks = { ranges: [], except: undefined };
  /** Descriptions of suggested contents by the name of their cell. */
  private suggestions: ReadonlyMap<string, string> = new Map();
  private changed: ChangedText[] = [];
  private descriptions = ENGLISH;
  private rowAt: (position: number) => number = (position) => position;

  constructor(host: HTMLElement) {
    grids += 1;
    this.idPrefix = `grid-${grids}`;
    this.element = document.createElement("div");
    this.element.className = "grid-aria";
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-rowcount", String(ROWS_MAX + 1));
    this.element.setAttribute("aria-colcount", String(COLUMNS_MAX + 1));
    this.element.setAttribute("aria-multiselectable", "true");
    this.headerRow = this.makeRow();
    this.headerRow.header.setAttribute("role", "columnheader");
    this.headerRow.header.textContent = this.descriptions.row;
    set(this.headerRow.element, "aria-rowindex", "1");
    host.append(this.element);
  }

  dispose(): void {
    this.element.remove();
  }

  /**
   * Id of the node of `cell`, for `aria-activedescendant`; `undefined` if the cell is not visible.
   */
  nodeId(cell: Cell): string | undefined {
    const id = this.idOf(cell);
    return this.element.querySelector(`#${id}`) ? id : undefined;
  }

  /** Sets which row is at a position. */
  setRowNumbers(rowAt: (position: number) => number): void {
    this.rowAt = rowAt;
  }

  setDescriptions(descriptions: GridDescriptions): void {
    this.descriptions = descriptions;
    setText(this.headerRow.header, descriptions.row);
  }

  /** Updates the nodes. Returns the cells that stayed visible and whose text changed. */
  update(
    label: string,
    cells: CellWindows,
    view: View,
    selection: Selection,
    others: readonly OtherSelection[],
    locks: Locks,
  ): readonly ChangedText[] {
    const isSameSheet = this.element.getAttribute("aria-label") === label;
    this.changed = [];
    this.locks = locks;
    this.others = new Map(
      others.map(({ range, name }) => [cellName({ row: range.top, column: range.left }), this.descriptions.isHere(name)]),
    );
    set(this.element, "aria-label", label);
    const visible = visibleRowsAndColumns(view);
    this.setCellCount(this.headerRow, visible.columns.length, "columnheader");
    visible.columns.forEach((column, at) => {
      const node = this.headerRow.cells[at];
      if (node) {
        set(node, "aria-colindex", String(column + 2));
        setText(node, this.descriptions.column(column));
      }
    });
    while (this.rows.length < visible.rows.length) {
      this.rows.push(this.makeRow());
    }
    while (this.rows.length > visible.rows.length) {
      this.rows.pop()?.element.remove();
    }
    visible.rows.forEach((row, at) => {
      const ariaRow = this.rows[at];
      if (ariaRow) {
        this.updateRow(ariaRow, row, visible.columns, cells, selection);
      }
    });
    return isSameSheet ? this.changed : [];
  }

  private updateRow(
    ariaRow: AriaRow,
    row: number,
    columns: readonly number[],
    cells: CellWindows,
    { ranges, active }: Selection,
  ): void {
    set(ariaRow.element, "aria-rowindex", String(row + 2));
    setText(ariaRow.header, String(this.rowAt(row) + 1));
    const { descriptions } = this;
    this.setCellCount(ariaRow, columns.length, "gridcell");
    ariaRow.cells.forEach((node, at) => {
      const cell = { row, column: columns[at] ?? 0 };
      const entry = cells.at(cell);
      const id = this.idOf(cell);
      const isSameNode = node.id === id;
      if (!isSameNode) {
        node.id = id;
        set(node, "aria-colindex", String(cell.column + 2));
      }
      const name = cellName({ row: this.rowAt(row), column: cell.column });
      if (node.dataset["cell"] !== name) {
        node.dataset["cell"] = name;
      }
      const mark = entry?.window.mark(entry.index);
      const merge = entry?.window.merge(entry.index);
      const isFirst = merge?.top === row && merge.left === cell.column;
      // Only the top left cell of a merged range has a text.
      const text = entry && (!merge || isFirst) ? entry.window.text(entry.index) : "";
      const displayed = mark?.spark && mark.hidesValue ? descriptions.spark(mark.spark.values) : text;
      const rated = mark?.rating === undefined ? displayed : descriptions.rating(text === "" ? undefined : mark.rating);
      const spoken = mark?.isChecked === undefined ? rated : mark.isChecked ? descriptions.checked : descriptions.notChecked;
      if (isSameNode && entry && node.textContent !== spoken) {
        this.changed.push({ cell, text: spoken });
      }
      setText(node, spoken);
      // Some screen readers say only the name of the cell that gets the focus.
      const isActive = sameCell(cell, active);
      setOrRemove(node, "aria-label", isActive ? `${spoken} ${descriptions.cell({ row: this.rowAt(row), column: cell.column })}`.trim() : undefined);
      set(node, "aria-selected", String(ranges.some((range) => contains(range, cell))));
      setOrRemove(node, "aria-rowspan", merge && isFirst ? String(merge.bottom - merge.top + 1) : undefined);
      setOrRemove(node, "aria-colspan", merge && isFirst ? String(merge.right - merge.left + 1) : undefined);
      const facts = [
        this.others.get(cellName(cell)),
        this.suggestions.get(cellName(cell)),
        mark?.note === undefined ? undefined : descriptions.note(mark.note),
        mark?.hasComment ? descriptions.hasComments : undefined,
        mark?.link === undefined ? undefined : descriptions.link(mark.link),
        mark?.spark && !mark.hidesValue ? descriptions.spark(mark.spark.values) : undefined,
        mark?.hasList ? descriptions.fromList : undefined,
        mark?.control === "button" ? descriptions.button : mark?.control === "field" ? descriptions.field : undefined,
        mark?.isInvalid ? descriptions.isInvalid : undefined,
      ].filter((fact) => fact !== undefined);
      setOrRemove(node, "aria-readonly", isLocked(this.locks, cell) ? "true" : undefined);
      setOrRemove(node, "aria-invalid", mark?.isInvalid ? "true" : undefined);
      setOrRemove(node, "aria-description", facts.length > 0 ? facts.join(", ") : undefined);
    });
  }

  /** Sets the suggested contents, for the next update. */
  setSuggestions(suggestions: readonly SuggestionMark[]): void {
    this.suggestions = new Map(suggestions.map(({ cell, description }) => [cellName(cell), description]));
  }

  private idOf(cell: Cell): string {
    return `${this.idPrefix}-${cellName(cell)}`;
  }

  private makeRow(): AriaRow {
    const element = document.createElement("div");
    element.setAttribute("role", "row");
    const header = document.createElement("div");
    header.setAttribute("role", "rowheader");
    header.setAttribute("aria-colindex", "1");
    element.append(header);
    this.element.append(element);
    return { element, header, cells: [] };
  }

  private setCellCount(ariaRow: AriaRow, count: number, role: string): void {
    while (ariaRow.cells.length < count) {
      const node = document.createElement("div");
      node.setAttribute("role", role);
      ariaRow.element.append(node);
      ariaRow.cells.push(node);
    }
    while (ariaRow.cells.length > count) {
      ariaRow.cells.pop()?.remove();
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

/** Visible rows and columns in ascending order, without hidden ones. */
function visibleRowsAndColumns({ panes, rows, columns }: View): { readonly rows: readonly number[]; readonly columns: readonly number[] } {
  const shownRows = new Set<number>();
  const shownColumns = new Set<number>();
  for (const { visible } of panes) {
    for (let row = visible.top; row <= visible.bottom; row += 1) {
      if (rows.isHidden(row)) {
        row = Math.max(row, rows.nextVisible(row, 1) - 1);
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
  const ordered = (indexes: ReadonlySet<number>): number[] => [...indexes].sort((a, b) => a - b);
  return { rows: ordered(shownRows), columns: ordered(shownColumns) };
}

/**
 * Reuses the text node: `textContent` would create a new one for each of the millions of updates in
 * a day.
 */
function setText(node: Element, text: string): void {
  const textNode = node.firstChild;
  if (!(textNode instanceof Text)) {
    if (text !== "") {
      node.textContent = text;
    }
  } else if (textNode.data !== text) {
    textNode.data = text;
  }
}
