/**
 * Sorting within a filter view: only those who open the view see its rows in this order.
 *
 * The sort keys are fields of the view's columns, so that they follow the columns and everybody who
 * opens the view has the same order. It is computed when the view is opened, sorted or sorted again;
 * in between, edited rows stay where they are (decision 0051).
 */

import { parseRange, type Range, rangeName, rowCount, RowOrder } from "@quadrille/grid";
import type { Command, ItemDetails, Notice, SortKey } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { filterViews } from "./filter-views.ts";

export type SortDirection = "ascending" | "descending";

/** A column of a view, and what is stored of it. */
interface ViewColumn {
  readonly filter: ItemDetails;
  readonly range: Range;
  readonly column: number;
  readonly item: ItemDetails | undefined;
}

/** A column by which a view is sorted. */
interface SortedColumn {
  readonly item: ItemDetails;
  readonly range: Range;
  readonly direction: SortDirection;
}

/** The direction in which a view is sorted by a column; `undefined` if it is not. */
export function sortDirection(item: ItemDetails | undefined): SortDirection | undefined {
  const order = item?.fields["order"];
  return order === "ascending" || order === "descending" ? order : undefined;
}

/** The columns by which the view is sorted, the most significant one first. */
function sortedColumns(model: WorkbookModel, view: ItemDetails): readonly SortedColumn[] {
  const priority = ({ item }: SortedColumn): number => Number(item.fields["priority"] ?? 0);
  return model.items
    .ofKind("filterColumn")
    .flatMap((item) => {
      const [range, direction] = [parseRange(item.anchors[0] ?? ""), sortDirection(item)];
      return item.fields["parent"] === view.id && range && direction ? [{ item, range, direction }] : [];
    })
    .sort((a, b) => priority(a) - priority(b));
}

/** The sort keys of a view, the most significant one first. */
export function sortKeys(model: WorkbookModel, view: ItemDetails): readonly SortKey[] {
  return sortedColumns(model, view).map(({ range, direction }) => ({ column: range.left, descending: direction === "descending" }));
}

/**
 * Sorts a view by a column first and then by the columns it was sorted by before. `undefined`: no
 * longer by this column.
 */
export function sortView(model: WorkbookModel, { filter, range, column, item }: ViewColumn, direction: SortDirection | undefined): void {
  if (direction && mergedIn(model, range)) {
    model.toast(t("Rows with cells that are merged across rows cannot be sorted."), true);
    return;
  }
  const sheet = model.sheetId();
  const set = (id: number, at: Range, order: SortDirection | null, priority: number | null): Command => ({
    type: "setItem",
    sheet,
    item: id,
    kind: "filterColumn",
    anchors: [rangeName(at)],
    fields: { parent: filter.id, order, priority },
  });
  const others = sortedColumns(model, filter).filter((sorted) => sorted.item.id !== item?.id);
  const first = direction || item ? [set(item?.id ?? newItemId(), { ...range, left: column, right: column }, direction ?? null, direction ? 0 : null)] : [];
  model.command({ type: "many", commands: [...first, ...others.map((sorted, at) => set(sorted.item.id, sorted.range, sorted.direction, at + 1))] });
}

/** Whether cells of the data rows are merged across rows. */
function mergedIn(model: WorkbookModel, { top, bottom, left, right }: Range): boolean {
  return model.items.ofKind("merge").some(({ anchors }) =>
    anchors.some((anchor) => {
      const merge = parseRange(anchor);
      return merge && rowCount(merge) > 1 && merge.top <= bottom && merge.bottom > top && merge.left <= right && merge.right >= left;
    }),
  );
}

/** Keeps the grid in the order of the open view. */
export class ViewOrder {
  private readonly model: WorkbookModel;
  private readonly again = createSignal(0);
  /** Counts the orders asked for: only the latest one is displayed. */
  private asked = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** What the order depends on, as a text; empty without sorting. To be read in an effect. */
  source(): string {
    const { model } = this;
    const view = filterViews(model).current();
    const keys = view ? sortKeys(model, view) : [];
    return view && keys.length > 0 ? JSON.stringify([model.sheet(), view.id, keys, this.again[0]()]) : "";
  }

  /** Sorts again: rows that were edited go to their places. */
  sortAgain(): void {
    this.again[1]((count) => count + 1);
  }

  /** Asks the engine for the order, and displays it. */
  async refresh(): Promise<void> {
    const { model } = this;
    this.asked += 1;
    const { asked } = this;
    const view = filterViews(model).current();
    const range = parseRange(view?.anchors[0] ?? "");
    const keys = view ? sortKeys(model, view) : [];
    const isSorted = range && keys.length > 0 && !mergedIn(model, range);
    const answer = isSorted ? await model.session.query({ type: "rowOrder", sheet: model.sheetId(), range, keys: [...keys] }) : null;
    if (asked === this.asked) {
      model.grid?.setOrder(answer ? new RowOrder(answer.first, answer.rows) : undefined);
    }
  }

  /** Follows rows that were inserted, deleted or moved. */
  moved(notice: Notice & { type: "moved" }): void {
    const { grid } = this.model;
    if (grid?.order && notice.sheet === this.model.sheet()) {
      const order = grid.order.shifted(notice);
      grid.setOrder(order);
      if (!order) {
        this.sortAgain();
      }
    }
  }
}
