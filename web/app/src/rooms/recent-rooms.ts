/**
 * The rooms that this browser has visited, newest first, in local storage. Tenants by path share the
 * storage of their origin: each has a list of its own.
 */

import { BASE_PATH } from "../base-path.ts";

/** One visited room. */
export interface RecentRoom {
  readonly room: string;
  /** The title at the time of the visit; absent when the workbook had none. */
  readonly title?: string | undefined;
  readonly visitedAtMs: number;
}

const RECENT_KEY = `quadrille.recent${BASE_PATH}`;
const RECENT_MAX = 30;

/** The visited rooms, newest first; empty when storage is disabled or unreadable. */
export function recentRooms(): readonly RecentRoom[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRecentRoom) : [];
  } catch {
    return [];
  }
}

/** Puts a room at the head of the list. */
export function rememberRoom(room: string, title: string | undefined): void {
  const others = recentRooms().filter((recent) => recent.room !== room);
  store([{ room, title, visitedAtMs: Date.now() }, ...others].slice(0, RECENT_MAX));
}

/** Removes a room from the list. */
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
