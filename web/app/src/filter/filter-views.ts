/**
 * Filter views: named filters that apply only to those who open them.
 *
 * A view is an item of its sheet, so that its range follows rows and columns and others can open it
 * by name. The open view is state of this page and is remembered for the tab.
 */

import { contains, parseRange, rangeName } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { language, t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { sheetFilter } from "../tables/index.ts";

const NAME_CHARS_MAX = 100;

/** The filter views of a workbook. */
export class FilterViews {
  private readonly model: WorkbookModel;
  /** The open view by sheet. */
  private readonly signal = createSignal<ReadonlyMap<number, number>>(new Map());

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The views of the sheet, sorted by name. */
  list(): readonly ItemDetails[] {
    const byName = (one: ItemDetails, other: ItemDetails): number => viewName(one).localeCompare(viewName(other), language());
    return [...this.model.items.ofKind("filterView")].sort(byName);
  }

  /** The open view of the sheet, if it still exists. */
  current(): ItemDetails | undefined {
    const id = this.signal[0]().get(this.model.sheet() ?? 0);
    return this.list().find((item) => item.id === id);
  }

  /** Opens the views that were open before the page was reloaded. */
  restore(): void {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(this.key) ?? "[]");
      for (const pair of Array.isArray(stored) ? stored : []) {
        const [sheet, item] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
        if (typeof sheet === "number" && typeof item === "number") {
          this.set(sheet, item);
        }
      }
    } catch {
      // Storage is disabled: no view is open.
    }
  }

  private get key(): string {
    return `quadrille.views.${this.model.room}`;
  }

  private set(sheet: number, item: number | undefined): void {
    const open = new Map(this.signal[0]());
    if (item === undefined) {
      open.delete(sheet);
    } else {
      open.set(sheet, item);
    }
    this.signal[1](open);
    try {
      sessionStorage.setItem(this.key, JSON.stringify([...open]));
    } catch {
      // Storage is disabled: the view is not remembered.
    }
    this.model.session.send({ type: "openFilterView", sheet, item: item ?? null });
  }

  open(id: number): void {
    this.set(this.model.sheetId(), id);
    this.model.focusCells();
  }

  close(): void {
    this.set(this.model.sheetId(), undefined);
    this.model.focusCells();
  }

  /**
   * Creates a view over the range of the filter of the sheet, or else over the filled region around
   * the active cell, and opens it.
   */
  async create(): Promise<void> {
    const { model } = this;
    const sheet = model.sheetId();
    const filters = model.items.ofKind("autoFilter");
    const atActive = filters.find(({ anchors }) => {
      const range = parseRange(anchors[0] ?? "");
      return range !== undefined && contains(range, model.selection().active);
    });
    const range = (atActive ?? sheetFilter([...model.items.ofKind("table"), ...filters]))?.anchors[0] ?? rangeName(await model.dataRange());
    const id = newItemId();
    const names = new Set(this.list().map(({ fields }) => fields["name"]));
    let number = 1;
    while (names.has(t("View {number}", { number }))) {
      number += 1;
    }
    const author = model.identity().name;
    model.command({ type: "setItem", sheet, item: id, kind: "filterView", anchors: [range], fields: { name: t("View {number}", { number }), author } });
    this.open(id);
  }

  rename(view: ItemDetails, name: string): void {
    const clean = name.trim().slice(0, NAME_CHARS_MAX);
    if (clean !== "" && clean !== view.fields["name"]) {
      this.model.items.patch(view.id, { name: clean });
    }
  }

  remove(view: ItemDetails): void {
    this.close();
    this.model.items.remove(view.id);
  }
}

/** The name of a view. */
export function viewName(view: ItemDetails): string {
  const { name } = view.fields;
  return typeof name === "string" && name !== "" ? name : t("Untitled view");
}

const viewsOfModels = new WeakMap<WorkbookModel, FilterViews>();

/** The filter views of an open workbook. */
export function filterViews(model: WorkbookModel): FilterViews {
  const known = viewsOfModels.get(model) ?? new FilterViews(model);
  viewsOfModels.set(model, known);
  return known;
}
