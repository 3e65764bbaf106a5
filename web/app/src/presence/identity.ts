/** Who this person is to the others: a name and a colour, kept in this browser. */

export interface Identity {
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
}

const KEY = "quadrille.identity";
const NAME_MAX = 40;

/** Told apart from one another, and dark enough for white letters; the grid lightens them on dark paper. */
const COLORS = [0xb3324a, 0x2459c4, 0x7b3fc4, 0xa8480f, 0x0b7072, 0xa12a70, 0x4a6a12, 0x3f4bc0, 0x855700, 0x006d82];

const MANNERS = ["Calm", "Bright", "Quick", "Gentle", "Clever", "Merry", "Bold", "Patient", "Sunny", "Nimble"];
const ANIMALS = ["Otter", "Heron", "Fox", "Wren", "Badger", "Lynx", "Hare", "Owl", "Seal", "Finch", "Marten", "Stork"];

export function loadIdentity(): Identity {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Identity> | null;
    if (typeof stored?.name === "string" && stored.name !== "" && typeof stored.color === "number") {
      return { name: stored.name.slice(0, NAME_MAX), color: stored.color & 0xffffff };
    }
  } catch {
    // No storage: a new name each time.
  }
  const identity = {
    name: `${pick(MANNERS)} ${pick(ANIMALS)}`,
    color: pick(COLORS),
  };
  saveIdentity(identity);
  return identity;
}

export function saveIdentity(identity: Identity): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(identity));
  } catch {
    // No storage: the name lasts as long as the page.
  }
}

export function cleanName(typed: string): string {
  return typed.trim().replace(/\s+/g, " ").slice(0, NAME_MAX);
}

export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const first = [...(words[0] ?? "?")][0] ?? "?";
  const last = words.length > 1 ? ([...(words.at(-1) ?? "")][0] ?? "") : "";
  return (first + last).toUpperCase();
}

function pick<Item>(items: readonly Item[]): Item {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const item = items[random % items.length];
  if (item === undefined) {
    throw new Error("nothing to pick from");
  }
  return item;
}
