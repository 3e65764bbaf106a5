/** Validates requests of the host page, which is not trusted code. */

import { CELLS_WRITTEN_MAX, type ToFrame, type Value } from "@quadrille/embed";

/** The request, or the reason why it is invalid. */
export function readHostMessage(data: unknown): ToFrame | { readonly id: number | undefined; readonly problem: string } {
  const message = (typeof data === "object" && data !== null ? data : {}) as Readonly<Record<string, unknown>>;
  const { id, range, at, cells } = message;
  const requestId = typeof id === "number" ? id : undefined;
  const invalid = (problem: string) => ({ id: requestId, problem });
  const { sheet } = message;
  if (sheet !== undefined && typeof sheet !== "string") {
    return invalid("sheet must be the name of a sheet");
  }
  const withSheet = sheet === undefined ? {} : { sheet };
  if (message["do"] === "theme") {
    return { do: "theme", theme: typeof message["theme"] === "string" ? message["theme"] : null };
  }
  if (requestId === undefined) {
    return invalid("a request needs a numeric id");
  }
  switch (message["do"]) {
    case "sheets":
      return { do: "sheets", id: requestId };
    case "get":
      return typeof range === "string" ? { do: "get", id: requestId, range, ...withSheet } : invalid("range must be a text such as A1:B2");
    case "select":
      return range === undefined || typeof range === "string"
        ? { do: "select", id: requestId, ...withSheet, ...(range !== undefined && { range }) }
        : invalid("range must be a text such as A1:B2");
    case "set":
      if (typeof at !== "string") {
        return invalid("at must be a cell such as A1");
      }
      return isTable(cells)
        ? { do: "set", id: requestId, at, cells, ...withSheet }
        : invalid(`cells must be rows of equal length of texts, numbers, booleans and null, at most ${CELLS_WRITTEN_MAX} of them`);
    default:
      return invalid("unknown request");
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
