/** What a host asks, checked: it comes from a page that we did not write. */

import { CELLS_WRITTEN_MAX, type ToFrame, type Value } from "@quadrille/embed";

/** The question, or why it is none. */
export function readHostMessage(data: unknown): ToFrame | { readonly id: number | undefined; readonly problem: string } {
  const said = (typeof data === "object" && data !== null ? data : {}) as Readonly<Record<string, unknown>>;
  const { id, range, at, cells } = said;
  const number = typeof id === "number" ? id : undefined;
  const wrong = (problem: string) => ({ id: number, problem });
  const { sheet } = said;
  if (sheet !== undefined && typeof sheet !== "string") {
    return wrong("sheet is the name of a sheet");
  }
  const named = sheet === undefined ? {} : { sheet };
  if (said["do"] === "theme") {
    return { do: "theme", theme: typeof said["theme"] === "string" ? said["theme"] : null };
  }
  if (number === undefined) {
    return wrong("a question has a number");
  }
  switch (said["do"]) {
    case "sheets":
      return { do: "sheets", id: number };
    case "get":
      return typeof range === "string" ? { do: "get", id: number, range, ...named } : wrong("range is a text such as A1:B2");
    case "select":
      return range === undefined || typeof range === "string"
        ? { do: "select", id: number, ...named, ...(range !== undefined && { range }) }
        : wrong("range is a text such as A1:B2");
    case "set":
      if (typeof at !== "string") {
        return wrong("at is a cell such as A1");
      }
      return isTable(cells)
        ? { do: "set", id: number, at, cells, ...named }
        : wrong(`cells are rows of one length of texts, numbers, booleans and null, at most ${CELLS_WRITTEN_MAX} of them`);
    default:
      return wrong("no such question");
  }
}

function isTable(cells: unknown): cells is readonly (readonly Value[])[] {
  if (!Array.isArray(cells) || cells.length === 0) {
    return false;
  }
  const [first] = cells as readonly unknown[];
  const width = Array.isArray(first) ? first.length : 0;
  return (
    width > 0 &&
    width * cells.length <= CELLS_WRITTEN_MAX &&
    cells.every((row: unknown) => Array.isArray(row) && row.length === width && row.every(isValue))
  );
}

function isValue(value: unknown): value is Value {
  return (
    value === null || typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
  );
}
