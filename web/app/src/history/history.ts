/** What happened to a room, over REST (docs/rest.md, "History"). */

import { cellName } from "@quadrille/grid";
import { serverRefusal, t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";

export interface HistoryEntry {
  readonly kind: string;
  readonly sheet: string | null;
  readonly range: string | null;
  readonly words: string;
}

export interface Revision {
  readonly revision: number;
  readonly timeMs: number;
  readonly author: { readonly id: string; readonly name: string };
  readonly operations: readonly HistoryEntry[];
  readonly operationCount: number;
  /** The workbook was given another name; `null` where it had none, or has none any more. */
  readonly title?: { readonly from: string | null; readonly to: string | null };
  /** Only when asked for one cell: what was entered there; `null` when something else about it changed. */
  readonly input?: string | null;
}

export interface HistoryPage {
  readonly head: number;
  readonly revisions: readonly Revision[];
  readonly next: number | null;
}

export interface PastSheet {
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

export interface PastCell {
  readonly text: string;
  readonly value?: unknown;
  readonly formula?: string;
  /** What sets its look apart from that of an untouched cell, always in the same order. */
  readonly format?: Readonly<Record<string, unknown>>;
}

/** Shown of a sheet of the past; the whole of it can be downloaded. */
export const ROWS_MAX = 300;
export const COLUMNS_MAX = 40;

/** The server answered, but not with what was asked for; its message is for the reader. */
export class HistoryUnavailable extends Error {}

export async function readHistory(room: string, before: number | undefined, cell: string | undefined): Promise<HistoryPage> {
  const query = new URLSearchParams({ limit: "100" });
  if (before !== undefined) {
    query.set("before", String(before));
  }
  if (cell !== undefined) {
    query.set("cell", cell);
  }
  const { head = 0, revisions = [], next = null } = await read<Partial<HistoryPage>>(`${roomApi(room)}/history?${query.toString()}`, { isMissingEmpty: true });
  return { head, revisions, next };
}

export async function sheetsAt(room: string, revision: number): Promise<readonly PastSheet[]> {
  return (await read<{ sheets: readonly PastSheet[] }>(`${roomApi(room)}/history/${revision}`)).sheets;
}

/** The upper left part of a sheet, at a revision or, without one, now. A sheet that is not there is empty. */
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
  const place = revision === undefined ? roomApi(room) : `${roomApi(room)}/history/${revision}`;
  const found = await read<{ cells?: readonly (readonly PastCell[])[]; cell?: PastCell }>(
    `${place}/sheets/${encodeURIComponent(sheet.name)}/cells/A1:${last}`,
    { isMissingEmpty: true },
  );
  return found.cells ?? (found.cell ? [[found.cell]] : []);
}

export function revisionExportUrl(room: string, revision: number): string {
  return `${roomApi(room)}/history/${revision}?format=xlsx`;
}

/** A new edit that brings everything back as it was; it can itself be undone by restoring the revision before. */
export async function restore(room: string, revision: number, name: string): Promise<void> {
  const response = await fetch(
    `${roomApi(room)}/history/${revision}/restore?name=${encodeURIComponent(name)}`,
    { method: "POST" },
  );
  if (!response.ok) {
    throw await failure(response);
  }
}

async function read<Answer>(url: string, options: { isMissingEmpty?: boolean } = {}): Promise<Answer> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status === 404 && options.isMissingEmpty) {
    return {} as Answer;
  }
  if (!response.ok) {
    throw await failure(response);
  }
  return (await response.json()) as Answer;
}

async function failure(response: Response): Promise<HistoryUnavailable> {
  const body = (await response.json().catch(() => undefined)) as { error?: { code?: string } } | undefined;
  return new HistoryUnavailable(disabledReason(body?.error?.code ?? `HTTP ${response.status}`));
}

/** By `ErrorCode` in crates/server. */
export function disabledReason(code: string): string {
  return serverRefusal(code) ?? t("The history cannot be read ({reason}).", { reason: code });
}

/** Edits of one person without a long pause are one line; newest first, as they came. */
export interface Session {
  readonly newest: Revision;
  readonly revisions: readonly Revision[];
}

const PAUSE_MS = 10 * 60_000;

export function sessions(revisions: readonly Revision[]): Session[] {
  const found: { newest: Revision; revisions: Revision[] }[] = [];
  for (const revision of revisions) {
    const last = found.at(-1);
    const before = last?.revisions.at(-1);
    if (
      last &&
      before &&
      before.author.name === revision.author.name &&
      before.author.id === revision.author.id &&
      before.timeMs - revision.timeMs <= PAUSE_MS
    ) {
      last.revisions.push(revision);
    } else {
      found.push({ newest: revision, revisions: [revision] });
    }
  }
  return found;
}

/** How a cell differs from what it is now: it holds something else, or only looks different. */
export function difference(past: PastCell | undefined, now: PastCell | undefined): "content" | "look" | undefined {
  const content = (cell: PastCell | undefined): string => JSON.stringify([cell?.value ?? null, cell?.formula ?? ""]);
  const look = (cell: PastCell | undefined): string => JSON.stringify([cell?.text ?? "", cell?.format ?? {}]);
  return content(past) !== content(now) ? "content" : look(past) !== look(now) ? "look" : undefined;
}

/** Where the sheet puts it: as its look says, or by what it is. */
export function alignment({ value, format }: PastCell): "left" | "center" | "right" {
  const chosen = format?.["horizontal"];
  if (chosen === "left" || chosen === "center" || chosen === "right") {
    return chosen;
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
