/** The updates of a published page, as the server sends them (`crates/server/src/published/drawing.rs`). */

/** A cell that differs. */
export interface ChangedCell {
  readonly address: string;
  readonly classes: string;
  readonly style: string;
  readonly html: string;
}

/** The cells that lead from one version of a page to the next. */
export interface Update {
  readonly version: string;
  readonly cells: readonly ChangedCell[];
}

/** Reads an update; `undefined` when it is not one, as from another version of the server. */
export function changedCells(text: string): Update | undefined {
  const update = parsed(text);
  if (typeof update !== "object" || update === null || !("version" in update) || !("cells" in update)) {
    return undefined;
  }
  const { version, cells } = update;
  if (typeof version !== "string" || !Array.isArray(cells)) {
    return undefined;
  }
  const read = cells.map((cell: unknown) => (Array.isArray(cell) ? changedCell(cell) : undefined)).filter((cell) => cell !== undefined);
  return read.length === cells.length ? { version, cells: read } : undefined;
}

function changedCell(cell: readonly unknown[]): ChangedCell | undefined {
  const [address, classes, style, html] = cell;
  const isText = typeof address === "string" && typeof classes === "string" && typeof style === "string" && typeof html === "string";
  return isText ? { address, classes, style, html } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
