/**
 * The cells in sight as an ARIA grid, for screen readers (and for tests, which read the same tree).
 *
 * Nodes are kept and only what differs is written: rebuilding 1,000 nodes costs several milliseconds.
 */

import type { SheetWindow } from "@quadrille/protocol";
import { type Cell, cellName, columnName, COLUMNS_MAX, contains, type Range, ROWS_MAX } from "./address.ts";
import type { OtherSelection } from "./scene.ts";

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
    this.headerRow.header.textContent = "Row";
    set(this.headerRow.element, "aria-rowindex", "1");
    host.append(this.element);
  }

  dispose(): void {
    this.element.remove();
  }

  /** Id of the node for `cell`, for `aria-activedescendant`; it exists while the cell is in sight. */
  idOf(cell: Cell): string {
    return `${this.idPrefix}-${cellName(cell)}`;
  }

  update(
    label: string,
    window: SheetWindow,
    visible: Range,
    selected: readonly Range[],
    others: readonly OtherSelection[],
  ): void {
    this.others = new Map(
      others.map(({ range, name }) => [cellName({ row: range.top, column: range.left }), `${name} is here`]),
    );
    set(this.element, "aria-label", label);
    const rowCount = visible.bottom - visible.top + 1;
    const columnCount = visible.right - visible.left + 1;
    this.fitCells(this.headerRow, columnCount, "columnheader");
    for (let at = 0; at < columnCount; at += 1) {
      const node = this.headerRow.cells[at];
      if (node) {
        set(node, "aria-colindex", String(visible.left + at + 2));
        setText(node, columnName(visible.left + at));
      }
    }
    while (this.rows.length < rowCount) {
      this.rows.push(this.makeRow());
    }
    while (this.rows.length > rowCount) {
      this.rows.pop()?.element.remove();
    }
    for (let at = 0; at < rowCount; at += 1) {
      const mirrorRow = this.rows[at];
      if (mirrorRow) {
        this.updateRow(mirrorRow, visible.top + at, visible, window, selected);
      }
    }
  }

  private updateRow(
    mirrorRow: MirrorRow,
    row: number,
    visible: Range,
    window: SheetWindow,
    selected: readonly Range[],
  ): void {
    set(mirrorRow.element, "aria-rowindex", String(row + 2));
    setText(mirrorRow.header, String(row + 1));
    this.fitCells(mirrorRow, visible.right - visible.left + 1, "gridcell");
    mirrorRow.cells.forEach((node, at) => {
      const cell = { row, column: visible.left + at };
      const index = window.index(cell.row, cell.column);
      const id = this.idOf(cell);
      if (node.id !== id) {
        node.id = id;
        node.dataset["cell"] = cellName(cell);
        set(node, "aria-colindex", String(cell.column + 2));
      }
      setText(node, index < 0 ? "" : window.text(index));
      set(node, "aria-selected", String(selected.some((range) => contains(range, cell))));
      const visitor = this.others.get(cellName(cell));
      if (visitor !== undefined) {
        set(node, "aria-description", visitor);
      } else if (node.hasAttribute("aria-description")) {
        node.removeAttribute("aria-description");
      }
    });
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

function setText(node: Element, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}
