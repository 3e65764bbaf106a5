/** The commands "Trace precedents" and "Trace dependents": arrows between cells and formulas. */

import { type Cell, rangeOf, shiftRange } from "@quadrille/grid";
import type { Notice, RangePosition, TraceArrow } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { sheetPrefix } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Which way arrows are followed from a cell. */
export type TraceDirection = "precedents" | "dependents";

/** A cell whose arrows are shown, and over how many formulas. */
interface TracedCell {
  readonly direction: TraceDirection;
  readonly sheet: number;
  readonly cell: Cell;
  readonly depth: number;
}

/** Queries of one update: deep traces end there. */
const QUERIES_MAX = 300;
/** Arrows that are drawn at once. */
const ARROWS_MAX = 1_000;

/** The arrows on this page. Others do not see them, and they are not part of the workbook. */
export class FormulaTraces {
  private readonly model: WorkbookModel;
  private readonly arrowsSignal = createSignal<readonly TraceArrow[]>([]);
  /** The arrows of all sheets. */
  readonly arrows = this.arrowsSignal[0];
  private readonly tracedSignal = createSignal<readonly TracedCell[]>([]);
  private updateCount = 0;
  private latestUpdate: Promise<boolean> = Promise.resolve(true);

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Whether a cell is traced; an edit can leave it without arrows. */
  isOn(): boolean {
    return this.tracedSignal[0]().length > 0;
  }

  private get traced(): readonly TracedCell[] {
    return this.tracedSignal[0]();
  }

  private set traced(cells: readonly TracedCell[]) {
    this.tracedSignal[1](cells);
  }

  /** Shows the arrows of the active cell; repeated for the same cell, those of one level more. */
  async trace(direction: TraceDirection): Promise<void> {
    const { model } = this;
    const { active } = model.selection();
    const sheet = model.sheetId();
    const isSame = (other: TracedCell): boolean =>
      other.direction === direction && other.sheet === sheet && other.cell.row === active.row && other.cell.column === active.column;
    const before = this.traced;
    const depth = (before.find(isSame)?.depth ?? 0) + 1;
    const shown = new Set(this.arrows().map(keyOf));
    this.traced = [...before.filter((other) => !isSame(other)), { direction, sheet, cell: active, depth }];
    model.focusCells();
    const isAll = await this.update();
    const added = this.arrows().filter((arrow) => !shown.has(keyOf(arrow)));
    if (!this.isOn()) {
      // Removed meanwhile.
      return;
    }
    if (added.length === 0) {
      this.traced = before;
      model.toast(nothingFound(direction, depth), true);
    } else {
      model.announcer.announce(this.summary(direction, added));
      if (!isAll) {
        model.toast(t("There are more arrows than can be shown."), false);
      }
    }
  }

  /** Removes all arrows. */
  clear(): void {
    this.traced = [];
    this.updateCount += 1;
    this.latestUpdate = Promise.resolve(true);
    this.arrowsSignal[1]([]);
    this.model.focusCells();
  }

  /** Moves traced cells with the rows and columns that are inserted, deleted or moved. */
  moveWithCells(moved: Notice & { type: "moved" }): void {
    this.traced = this.traced.flatMap((traced) => {
      if (traced.sheet !== moved.sheet) {
        return [traced];
      }
      const range = shiftRange(rangeOf(traced.cell), moved);
      return range ? [{ ...traced, cell: { row: range.top, column: range.left } }] : [];
    });
  }

  /** Follows the arrows again, after a change of the workbook. Returns whether all are shown. */
  update(): Promise<boolean> {
    this.updateCount += 1;
    this.latestUpdate = this.follow(this.updateCount);
    return this.latestUpdate;
  }

  /** Follows the arrows, unless a later update has begun, which is awaited instead. */
  private async follow(update: number): Promise<boolean> {
    const arrows = new Map<string, TraceArrow>();
    let queries = 0;
    let isAll = true;
    for (const { direction, sheet, cell, depth } of this.traced) {
      let level: { readonly sheet: number; readonly range: RangePosition }[] = [{ sheet, range: rangeOf(cell) }];
      for (let step = 0; step < depth && level.length > 0; step += 1) {
        const next: typeof level = [];
        for (const from of level) {
          queries += 1;
          if (queries > QUERIES_MAX || arrows.size > ARROWS_MAX) {
            isAll = false;
            break;
          }
          const trace = await this.query(direction, from.sheet, from.range);
          if (update !== this.updateCount) {
            return this.latestUpdate;
          }
          isAll &&= trace.isAll;
          for (const arrow of trace.arrows) {
            const key = keyOf(arrow);
            if (!arrows.has(key)) {
              arrows.set(key, arrow);
              next.push(direction === "precedents" ? { sheet: arrow.fromSheet, range: arrow.from } : { sheet: arrow.toSheet, range: rangeOf(arrow.to) });
            }
          }
        }
        level = next;
      }
    }
    this.arrowsSignal[1]([...arrows.values()]);
    return isAll;
  }

  /** The name of a range, with its sheet unless that is shown. */
  nameOf(sheet: number, range: RangePosition): string {
    const { model } = this;
    const name = notation().range(range);
    const title = model.sheets().find(({ id }) => id === sheet)?.name ?? "";
    return sheet === model.sheet() ? name : `${sheetPrefix(title)}!${name}`;
  }

  private query(direction: TraceDirection, sheet: number, range: RangePosition) {
    const { session } = this.model;
    return direction === "precedents"
      ? session.query({ type: "precedents", sheet, range })
      : session.query({ type: "dependents", sheet, cell: { row: range.top, column: range.left } });
  }

  /** The cells that were found, for those who do not see arrows. */
  private summary(direction: TraceDirection, added: readonly TraceArrow[]): string {
    const names = added.slice(0, 10).map((arrow) =>
      direction === "precedents" ? this.nameOf(arrow.fromSheet, arrow.from) : this.nameOf(arrow.toSheet, rangeOf(arrow.to)),
    );
    const cells = [...new Set(names)].join(", ") + (added.length > 10 ? ", …" : "");
    return direction === "precedents" ? t("Precedents: {cells}", { cells }) : t("Dependents: {cells}", { cells });
  }
}

/** The same for arrows between the same cells. */
function keyOf({ fromSheet, from, toSheet, to }: TraceArrow): string {
  return JSON.stringify([fromSheet, from, toSheet, to]);
}

function nothingFound(direction: TraceDirection, depth: number): string {
  if (depth > 1) {
    return t("There are no further levels.");
  }
  return direction === "precedents" ? t("The cell has no formula that refers to cells.") : t("No formula refers to this cell.");
}

const tracesOfModels = new WeakMap<WorkbookModel, FormulaTraces>();

/** The arrows of an open workbook. */
export function formulaTraces(model: WorkbookModel): FormulaTraces {
  const known = tracesOfModels.get(model) ?? new FormulaTraces(model);
  tracesOfModels.set(model, known);
  return known;
}
