/** The workbooks of the start page: those that this browser knows, and those of the account. */

import { serverPath } from "../base-path.ts";
import { credentialOf, knownRooms } from "../access/index.ts";
import { type RecentRoom, recentRooms } from "../rooms/index.ts";

/** The lists of the start page. */
export type ListName = "recent" | "mine" | "shared" | "trash";

/** One row, as the server describes it (docs/rest.md, "Lists of workbooks"). */
export interface ListedWorkbook {
  readonly room: string;
  readonly title: string | null;
  readonly role: "owner" | "edit" | "comment" | "view";
  readonly owner: { readonly name: string } | null;
  readonly isMine: boolean;
  readonly changedMs: number | null;
  readonly trashedMs: number | null;
}

/** One row of a list. */
export interface WorkbookRow {
  readonly room: string;
  readonly title: string | undefined;
  /** When it was changed, visited or moved to the trash, as the list says. */
  readonly timeMs: number | undefined;
  /** What the server says; `undefined` without an answer, and for workbooks that do not open. */
  readonly listed: ListedWorkbook | undefined;
}

/** Workbooks that are looked up at once, as the server allows. */
const LOOKUP_MAX = 100;
/** Days after which the server deletes a workbook in the trash. */
export const TRASH_DAYS = 30;
const DAY_MS = 86_400_000;

/** Days until a workbook in the trash is deleted. */
export function daysLeft(trashedMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil(TRASH_DAYS - (nowMs - trashedMs) / DAY_MS));
}

/** What the server says of the workbooks that this browser knows; `undefined` without an answer. */
export async function lookUp(): Promise<ReadonlyMap<string, ListedWorkbook> | undefined> {
  const { owned, linked } = knownRooms();
  const rooms = [...new Set([...recentRooms().map(({ room }) => room), ...owned, ...linked])];
  const found = new Map<string, ListedWorkbook>();
  for (let start = 0; start < rooms.length; start += LOOKUP_MAX) {
    const workbooks = rooms.slice(start, start + LOOKUP_MAX).map((room) => ({ room, token: credentialOf(room) ?? null }));
    const page = await request(serverPath("/api/v1/workbooks/lookup"), { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ workbooks }) });
    if (!page) {
      return undefined;
    }
    page.workbooks.forEach((workbook) => found.set(workbook.room, workbook));
  }
  return found;
}

/** One page of a list of the account. */
export interface AccountPage {
  readonly workbooks: readonly ListedWorkbook[];
  readonly next: string | null;
}

/** A page of a list of the account that is signed in; `undefined` when nobody is. */
export async function accountPage(list: Exclude<ListName, "recent">, search: string, after: string | undefined): Promise<AccountPage | undefined> {
  const query = new URLSearchParams({ list, limit: "50", ...(search === "" ? {} : { q: search }), ...(after === undefined ? {} : { after }) });
  return request(`${serverPath("/api/v1/account/workbooks")}?${query.toString()}`, {});
}

async function request(url: string, init: RequestInit): Promise<AccountPage | undefined> {
  try {
    const response = await fetch(url, init);
    return response.ok ? ((await response.json()) as AccountPage) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The rows of a list. `looked` is the answer for the workbooks of this browser, `account` the list of
 * the account.
 */
export function rowsOf(
  list: ListName,
  looked: ReadonlyMap<string, ListedWorkbook> | undefined,
  account: readonly ListedWorkbook[],
  search: string,
): readonly WorkbookRow[] {
  const recent = recentRooms();
  const visited = new Map(recent.map((visit) => [visit.room, visit]));
  const rows = list === "recent" ? recent.map((visit) => recentRow(visit, looked)) : listedRows(list, looked, account, visited);
  const wanted = search.trim().toLowerCase();
  return rows.filter(({ room, title }) => (title ?? room).toLowerCase().includes(wanted));
}

function recentRow({ room, title, visitedAtMs }: RecentRoom, looked: ReadonlyMap<string, ListedWorkbook> | undefined): WorkbookRow {
  const listed = looked?.get(room);
  return { room, title: listed?.title ?? title, timeMs: visitedAtMs, listed };
}

function listedRows(
  list: Exclude<ListName, "recent">,
  looked: ReadonlyMap<string, ListedWorkbook> | undefined,
  account: readonly ListedWorkbook[],
  visited: ReadonlyMap<string, RecentRoom>,
): readonly WorkbookRow[] {
  const { owned, linked } = knownRooms();
  const known = list === "shared" ? linked : owned;
  const listed = new Map(account.map((workbook) => [workbook.room, workbook]));
  for (const room of known) {
    const workbook = looked?.get(room);
    if (workbook && belongsTo(list, workbook)) {
      listed.set(room, workbook);
    }
  }
  const rows = [...listed.values()].map((workbook): WorkbookRow => {
    const timeMs = (list === "trash" ? workbook.trashedMs : workbook.changedMs) ?? undefined;
    return { room: workbook.room, title: workbook.title ?? visited.get(workbook.room)?.title, timeMs, listed: workbook };
  });
  if (!looked && list !== "trash") {
    // Offline: what this browser remembers.
    rows.push(...known.filter((room) => !listed.has(room)).map((room) => ({ room, title: visited.get(room)?.title, timeMs: undefined, listed: undefined })));
  }
  return rows.sort((a, b) => (b.timeMs ?? 0) - (a.timeMs ?? 0));
}

function belongsTo(list: Exclude<ListName, "recent">, { isMine, trashedMs }: ListedWorkbook): boolean {
  return list === "shared" ? !isMine : isMine && (trashedMs !== null) === (list === "trash");
}

