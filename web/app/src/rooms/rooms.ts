/** Rooms: their names, their addresses, and which of them this browser has seen. */

import { embedding } from "../embed/mode.ts";
import { t } from "../language/language.ts";

export interface RecentRoom {
  readonly room: string;
  /** What its people called it then, if they had said. */
  readonly title?: string | undefined;
  readonly visitedAtMs: number;
}

const RECENT_KEY = "quadrille.recent";
const RECENT_MAX = 30;

/** No letters or digits that are mistaken for one another. */
const LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
/** 26 of 31 letters are 128 bits: nobody guesses a room. */
const RANDOM_LETTERS = 26;
/** The unguessable part at the end of a name, ours or the server's. */
const RANDOM_PART = /(^|-)[A-Za-z0-9_]{20,}$/;
/** Of three bytes each at most; letters of four take two of these. A name has 128 bytes. */
const NAME_PART_MAX = 32;

/** An unguessable name; `fileName` makes it one that its people recognise. */
export function newRoomName(fileName?: string): string {
  const random = crypto.getRandomValues(new Uint32Array(RANDOM_LETTERS));
  const letters = Array.from(random, (number) => LETTERS[number % LETTERS.length]).join("");
  const readable = (fileName ?? "")
    .replace(/\.[^.]*$/, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, NAME_PART_MAX)
    // No half of a letter that takes two units.
    .replace(/[\uD800-\uDBFF]$/, "")
    .replace(/^-+|-+$/g, "");
  return readable === "" ? letters : `${readable}-${letters}`;
}

/** What a person calls the room: its name without the unguessable part. */
export function roomTitle(room: string): string {
  const title = room.replace(RANDOM_PART, "");
  return title === "" ? t("Untitled") : title;
}

/** The room that a path names; `undefined` for the start page. */
export function roomOfPath(path: string): string | undefined {
  const [, first] = path.split("/");
  if (first === undefined || first === "") {
    return undefined;
  }
  try {
    return decodeURIComponent(first);
  } catch {
    return first;
  }
}

export function roomPath(room: string): string {
  return `/${encodeURIComponent(room)}`;
}

export function roomApi(room: string): string {
  return `/api/v1/rooms/${encodeURIComponent(room)}`;
}

export function socketUrl(room: string): string {
  const url = new URL(`${roomApi(room)}/socket`, location.href);
  // A link that only shows the workbook.
  if (new URLSearchParams(location.search).has("view") || embedding?.mode === "view") {
    url.search = "?view";
  }
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

export function importUrl(room: string, fileName: string): string {
  return `${roomApi(room)}/import?name=${encodeURIComponent(fileName)}`;
}

export function exportUrl(room: string, format: string): string {
  return `${roomApi(room)}?format=${format}`;
}

export function recentRooms(): readonly RecentRoom[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRecentRoom) : [];
  } catch {
    // Storage is off, or holds what something else wrote: then nothing was visited.
    return [];
  }
}

/** What the room's people called it when it was visited last. */
export function knownTitle(room: string): string | undefined {
  return recentRooms().find((recent) => recent.room === room)?.title;
}

export function rememberRoom(room: string, title: string | undefined): void {
  const others = recentRooms().filter((recent) => recent.room !== room);
  store([{ room, title, visitedAtMs: Date.now() }, ...others].slice(0, RECENT_MAX));
}

export function forgetRoom(room: string): void {
  store(recentRooms().filter((recent) => recent.room !== room));
}

function store(rooms: readonly RecentRoom[]): void {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify(rooms));
  } catch {
    // Without storage the list of recent rooms stays empty; nothing else depends on it.
  }
}

function isRecentRoom(value: unknown): value is RecentRoom {
  const recent = value as Partial<RecentRoom> | null;
  return (
    typeof recent?.room === "string" &&
    typeof recent.visitedAtMs === "number" &&
    (recent.title === undefined || typeof recent.title === "string")
  );
}
