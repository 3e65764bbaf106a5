/** The notifications that this browser has shown, per room, in local storage. */

const KEY = "quadrille.notifications";
/** Number of rooms that are remembered; the notifications of a forgotten room count as unread. */
const ROOMS_MAX = 30;

/** Reads the keys of the notifications that have been seen. */
export function seenNotifications(room: string): ReadonlySet<string> {
  return new Set(stored().find(([other]) => other === room)?.[1]);
}

/** Stores these keys in place of earlier ones. */
export function saveSeenNotifications(room: string, keys: readonly string[]): void {
  try {
    const others = stored().filter(([other]) => other !== room);
    localStorage.setItem(KEY, JSON.stringify([[room, keys], ...others].slice(0, ROOMS_MAX)));
  } catch {
    // Without storage, notifications are unread again at the next visit.
  }
}

function stored(): readonly (readonly [room: string, keys: readonly string[]])[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(parsed)
      ? parsed.flatMap((entry: unknown) =>
          Array.isArray(entry) && typeof entry[0] === "string" && Array.isArray(entry[1])
            ? [[entry[0], entry[1].filter((key: unknown) => typeof key === "string")] as const]
            : [],
        )
      : [];
  } catch {
    // Storage is disabled or unreadable: everything counts as unread.
    return [];
  }
}
