/** Reads the history of a room over REST (docs/rest.md, "History"). */

import { cellName } from "@quadrille/grid";
import { serverRefusal, t } from "../language/index.ts";
import { roomFetch } from "../access/index.ts";
import { roomApi } from "../rooms/index.ts";

/** One operation of a revision. */
export interface HistoryEntry {
  readonly kind: string;
  readonly sheet: string | null;
  readonly range: string | null;
  readonly words: string;
}

/** One revision. */
export interface Revision {
  readonly revision: number;
  readonly timeMs: number;
  readonly author: { readonly id: string; readonly name: string };
  readonly operations: readonly HistoryEntry[];
  readonly operationCount: number;
  /** Present when the title changed; `null` for no title. */
  readonly title?: { readonly from: string | null; readonly to: string | null };
  /** Only in the history of one cell: the entered text; `null` when something else changed. */
  readonly input?: string | null;
}

/** A revision with a name. */
export interface NamedVersion {
  readonly revision: number;
  readonly name: string;
  readonly timeMs: number;
  /** Whether the history still has the revision. */
  readonly isKept: boolean;
}

/** A page of the history, newest revision first. */
export interface HistoryPage {
  readonly head: number;
  readonly revisions: readonly Revision[];
  readonly next: number | null;
}

/** A sheet of a version, with the size of its used range. */
export interface PastSheet {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

/** A cell of a version. */
export interface PastCell {
  readonly text: string;
  readonly value?: unknown;
  readonly formula?: string;
  /** Attributes that differ from the default format, in a fixed order. */
  readonly format?: Readonly<Record<string, unknown>>;
}

/** Displayed size of a sheet of a version; the download is complete. */
export const ROWS_MAX = 300;
/** Like `ROWS_MAX`, for columns. */
export const COLUMNS_MAX = 40;

/** The server rejected the request; the message is localized. */
export class HistoryUnavailable extends Error {}

/**
 * Reads a page of revisions before `before`, of one cell if `cell` is given. Rejects with
 * `HistoryUnavailable`.
 */
export async function readHistory(room: string, before: number | undefined, cell: string | undefined): Promise<HistoryPage> {
  const query = new URLSearchParams({ limit: "100" });
  if (before !== undefined) {
    query.set("before", String(before));
  }
  if (cell !== undefined) {
    query.set("cell", cell);
  }
  const { head = 0, revisions = [], next = null } = await read<Partial<HistoryPage>>(room, `${roomApi(room)}/history?${query.toString()}`, { allowsMissing: true });
  return { head, revisions, next };
}

/** The newest revision that the server has. */
export async function headOf(room: string): Promise<number> {
  return (await read<{ head: number }>(room, `${roomApi(room)}/history?limit=1`)).head;
}

/** Longest name of a version, in characters; the server has the same limit. */
export const VERSION_NAME_MAX = 100;

/** The named versions, newest first. */
export async function readVersions(room: string): Promise<readonly NamedVersion[]> {
  const { versions = [] } = await read<{ versions?: readonly NamedVersion[] }>(room, `${roomApi(room)}/versions`, { allowsMissing: true });
  return versions;
}

/** Names a revision, or removes its name if `name` is empty. Rejects with `HistoryUnavailable`. */
export async function nameVersion(room: string, revision: number, name: string, author: string): Promise<void> {
  const url = `${roomApi(room)}/versions/${revision}?name=${encodeURIComponent(author)}`;
  const isRemoval = name.trim() === "";
  const response = await roomFetch(
    room,
    url,
    isRemoval ? { method: "DELETE" } : { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ name }) },
  );
  // Somebody else may have removed the name first.
  if (!response.ok && !(isRemoval && response.status === 404)) {
    const body = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
    const code = body?.error?.code ?? `HTTP ${response.status}`;
    throw new HistoryUnavailable(serverRefusal(code) ?? t("The name could not be saved ({reason}).", { reason: code }));
  }
}

/** The sheets at a revision. */
export async function sheetsAt(room: string, revision: number): Promise<readonly PastSheet[]> {
  return (await read<{ sheets: readonly PastSheet[] }>(room, `${roomApi(room)}/history/${revision}`)).sheets;
}

/**
 * The top left part of a sheet at a revision, or of the current one. Empty when the sheet does not
 * exist.
 */
export async function cellsAt(
  room: string,
  revision: number | undefined,
  sheet: PastSheet,
): Promise<readonly (readonly PastCell[])[]> {
  if (sheet.rows === 0 || sheet.columns === 0) {
    return [];
  }
  const last = cellName({
    row: Math.min(sheet.rows, ROWS_MAX) - 1,
    column: Math.min(sheet.columns, COLUMNS_MAX) - 1,
  });
  const base = revision === undefined ? roomApi(room) : `${roomApi(room)}/history/${revision}`;
  const answer = await read<{ cells?: readonly (readonly PastCell[])[]; cell?: PastCell }>(
    room,
    `${base}/sheets/${encodeURIComponent(sheet.name)}/cells/A1:${last}`,
    { allowsMissing: true },
  );
  return answer.cells ?? (answer.cell ? [[answer.cell]] : []);
}

/** The address from which a version is downloaded. */
export function revisionExportUrl(room: string, revision: number): string {
  return `${roomApi(room)}/history/${revision}?format=xlsx`;
}

/** Restores a revision by a new edit. */
export async function restore(room: string, revision: number, name: string): Promise<void> {
  const response = await roomFetch(
    room,
    `${roomApi(room)}/history/${revision}/restore?name=${encodeURIComponent(name)}`,
    { method: "POST" },
  );
  if (!response.ok) {
    throw await failure(response);
  }
}

/** Changes of one author. */
export interface ChangesToUndo {
  readonly author: { readonly id: string; readonly name: string };
  /** Only later revisions. */
  readonly after: number;
  /** No later revisions. */
  readonly upTo: number;
}

/** What an undo does, or would do. */
export interface UndoneChanges {
  /** Number of revisions that are reverted. */
  readonly undone: number;
  readonly operations: readonly HistoryEntry[];
  /** 0 if others have overwritten everything since. */
  readonly operationCount: number;
}

/** Undoes the changes of one author by a new edit, or says what that does. Rejects with `HistoryUnavailable`. */
export async function undoChanges(room: string, changes: ChangesToUndo, name: string, dryRun: boolean): Promise<UndoneChanges> {
  const response = await roomFetch(room, `${roomApi(room)}/history/undo?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...changes, dryRun }),
  });
  if (!response.ok) {
    throw await failure(response);
  }
  return (await response.json()) as UndoneChanges;
}

/** Reads JSON. Rejects with `HistoryUnavailable`. */
export async function read<Answer>(room: string, url: string, options: { allowsMissing?: boolean } = {}): Promise<Answer> {
  const response = await roomFetch(room, url, { headers: { accept: "application/json" } });
  if (response.status === 404 && options.allowsMissing) {
    return {} as Answer;
  }
  if (!response.ok) {
    throw await failure(response);
  }
  return (await response.json()) as Answer;
}

async function failure(response: Response): Promise<HistoryUnavailable> {
  const body = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
  return new HistoryUnavailable(errorText(body?.error?.code ?? `HTTP ${response.status}`));
}

/** The text for an `ErrorCode` of `crates/server`. */
export function errorText(code: string): string {
  return serverRefusal(code) ?? t("The history could not be loaded ({reason}).", { reason: code });
}

/** An editing session: edits of one person without a long pause, newest first. */
export interface Session {
  readonly newest: Revision;
  readonly revisions: readonly Revision[];
}

/** Longest pause within a session. */
const PAUSE_MS = 10 * 60_000;

/** Groups revisions into editing sessions. A named revision is the newest of its session. */
export function sessions(revisions: readonly Revision[], named: ReadonlySet<number> = new Set()): Session[] {
  const result: { newest: Revision; revisions: Revision[] }[] = [];
  for (const revision of revisions) {
    const last = result.at(-1);
    const before = last?.revisions.at(-1);
    if (
      last &&
      before &&
      before.author.name === revision.author.name &&
      before.author.id === revision.author.id &&
      !named.has(revision.revision) &&
      before.timeMs - revision.timeMs <= PAUSE_MS
    ) {
      last.revisions.push(revision);
    } else {
      result.push({ newest: revision, revisions: [revision] });
    }
  }
  return result;
}

/** Whether a cell of a version differs from the current one in content, or only in format. */
export function difference(past: PastCell | undefined, now: PastCell | undefined): "content" | "format" | undefined {
  const content = (cell: PastCell | undefined): string => JSON.stringify([cell?.value ?? null, cell?.formula ?? ""]);
  const format = (cell: PastCell | undefined): string => JSON.stringify([cell?.text ?? "", cell?.format ?? {}]);
  return content(past) !== content(now) ? "content" : format(past) !== format(now) ? "format" : undefined;
}

/** Horizontal alignment: that of the format, or by the type of the value. */
export function alignment({ value, format }: PastCell): "left" | "center" | "right" {
  const explicit = format?.["horizontal"];
  if (explicit === "left" || explicit === "center" || explicit === "right") {
    return explicit;
  }
  switch (typeof value) {
    case "number":
      return "right";
    case "boolean":
      return "center";
    default:
      // An error is an object, a blank cell is `null`.
      return typeof value === "object" && value !== null ? "center" : "left";
  }
}
