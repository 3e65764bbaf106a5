/** The updates of a published page, as the server sends them (`crates/server/src/published/drawing.rs`). */

/** A cell that differs. */
export interface ChangedCell {
  readonly address: string;
  readonly classes: string;
  readonly style: string;
  readonly html: string;
}

/** A chart by its identity: what `charts.ts` draws, or `null` when it is gone. */
export type ChangedChart = readonly [id: string, chart: unknown];

/** The cells and charts that lead from one version of a page to the next. */
export interface Update {
  readonly version: string;
  readonly cells: readonly ChangedCell[];
  readonly charts: readonly ChangedChart[];
}

/** Reads an update; `undefined` when it is not one, as from another version of the server. */
export function changedCells(text: string): Update | undefined {
  const update = parsed(text);
  if (typeof update !== "object" || update === null || !("version" in update) || !("cells" in update)) {
    return undefined;
  }
  const { version, cells } = update;
  const charts = "charts" in update ? changedCharts(update.charts) : [];
  if (typeof version !== "string" || !Array.isArray(cells)) {
    return undefined;
  }
  const read = cells.map((cell: unknown) => (Array.isArray(cell) ? changedCell(cell) : undefined)).filter((cell) => cell !== undefined);
  return charts && read.length === cells.length ? { version, cells: read, charts } : undefined;
}

/** Reads the charts of a page or of an update; `undefined` when they are none. */
export function changedCharts(list: unknown): ChangedChart[] | undefined {
  if (!Array.isArray(list)) {
    return undefined;
  }
  const read = list.map((pair: unknown) => (Array.isArray(pair) && typeof pair[0] === "string" && pair[1] !== undefined ? ([pair[0], pair[1] as unknown] as const) : undefined));
  return read.every((pair) => pair !== undefined) ? read : undefined;
}

function changedCell(cell: readonly unknown[]): ChangedCell | undefined {
  const [address, classes, style, html] = cell;
  const isText = typeof address === "string" && typeof classes === "string" && typeof style === "string" && typeof html === "string";
  return isText ? { address, classes, style, html } : undefined;
}

/** The value of a JSON text; `undefined` for other texts. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
