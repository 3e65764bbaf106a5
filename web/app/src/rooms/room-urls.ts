/** Paths and URLs of a room. */

import { embedding } from "../embed/index.ts";
import { serverPath, withoutBasePath } from "../base-path.ts";

/** The room that a path names; `undefined` for the start page and the pages for accounts. */
export function roomOfPath(path: string): string | undefined {
  const [, first] = withoutBasePath(path).split("/");
  // A name that begins with `_` is not that of a room.
  if (first === undefined || first === "" || first.startsWith("_")) {
    return undefined;
  }
  try {
    return decodeURIComponent(first);
  } catch {
    return first;
  }
}

/** The path of the page that shows a room. */
export function roomPath(room: string): string {
  return serverPath(`/${encodeURIComponent(room)}`);
}

/** The path of a room in the REST API. */
export function roomApi(room: string): string {
  return serverPath(`/api/v1/rooms/${encodeURIComponent(room)}`);
}

/** Whether the address of the page asks for a view of the room that cannot be edited. */
export function opensForViewing(): boolean {
  return new URLSearchParams(location.search).has("view") || embedding?.mode === "view";
}

/** The address of the room's WebSocket. */
export function socketUrl(room: string): string {
  const url = new URL(`${roomApi(room)}/socket`, location.href);
  if (opensForViewing()) {
    url.search = "?view";
  }
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

/** The address to which a file is uploaded for import. A text file has the numbers and dates of the locale. */
export function importUrl(room: string, fileName: string, locale: string): string {
  return `${roomApi(room)}/import?name=${encodeURIComponent(fileName)}&locale=${encodeURIComponent(locale)}`;
}

/** The address from which the used range of a sheet is downloaded as columns, named by its first row. */
export function columnsUrl(room: string, sheet: string, format: string): string {
  return `${roomApi(room)}/sheets/${encodeURIComponent(sheet)}/cells/A:XFD?format=${format}`;
}

/** The address from which the workbook, or one sheet of it, is downloaded in a file format. */
export function exportUrl(room: string, format: string, sheet: string | undefined): string {
  return `${roomApi(room)}?${new URLSearchParams({ format, ...(sheet !== undefined && { sheet }) })}`;
}
