/** Up to which remark this browser has read the chats of rooms. */

const KEY = "quadrille.chat";
/** Rooms that are remembered; the one read longest ago is forgotten, and its talk is new again. */
const ROOMS_MAX = 100;

function stored(): readonly (readonly [room: string, number: number])[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found)
      ? found.flatMap((entry: unknown) =>
          Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number"
            ? [[entry[0], entry[1]] as const]
            : [],
        )
      : [];
  } catch {
    // No storage, or something else in it: everything is new.
    return [];
  }
}

export function readUpTo(room: string): number {
  return stored().find(([known]) => known === room)?.[1] ?? 0;
}

export function saveReadState(room: string, number: number): void {
  try {
    const others = stored().filter(([known]) => known !== room);
    localStorage.setItem(KEY, JSON.stringify([[room, number], ...others].slice(0, ROOMS_MAX)));
  } catch {
    // No storage: what was read is new again next time.
  }
}
