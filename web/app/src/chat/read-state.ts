/** The number of the last message that this browser has read, per room, in local storage. */

const KEY = "quadrille.chat";
/** Number of rooms that are remembered; the messages of a forgotten room count as unread. */
const ROOMS_MAX = 100;

function stored(): readonly (readonly [room: string, number: number])[] {
  try {
    const parsed: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(parsed)
      ? parsed.flatMap((entry: unknown) =>
          Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number"
            ? [[entry[0], entry[1]] as const]
            : [],
        )
      : [];
  } catch {
    // Storage is disabled or unreadable: every message counts as unread.
    return [];
  }
}

/** The number of the last read message; 0 when none was read. */
export function readUpTo(room: string): number {
  return stored().find(([other]) => other === room)?.[1] ?? 0;
}

/** Stores the number of the last read message. */
export function saveReadState(room: string, number: number): void {
  try {
    const others = stored().filter(([other]) => other !== room);
    localStorage.setItem(KEY, JSON.stringify([[room, number], ...others].slice(0, ROOMS_MAX)));
  } catch {
    // Without storage, messages are unread again at the next visit.
  }
}
