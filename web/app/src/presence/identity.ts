/** The identity of the user for others: a name and a color, stored in this browser. */

/** Name and color of a person. */
export interface Identity {
  readonly name: string;
  /** `0xRRGGBB`. */
  readonly color: number;
}

const KEY = "quadrille.identity";
const NAME_MAX = 40;

/**
 * Distinguishable colors, dark enough for white text; the grid lightens them on a dark background.
 */
export const COLORS: readonly number[] = [0xb3324a, 0x2459c4, 0x7b3fc4, 0xa8480f, 0x0b7072, 0xa12a70, 0x4a6a12, 0x3f4bc0, 0x855700, 0x006d82];

/** Words of names for people who have not chosen one: 1,024 names, so that two in a workbook rarely have the same. */
const ADJECTIVES = "Able Agile Bold Brave Bright Calm Civil Clever Cosy Eager Fair Fine Gentle Glad Jolly Keen Kind Light Loyal Lucky Merry Mild Neat Nimble Patient Polite Proud Quick Quiet Sunny Warm Wise".split(" ");
const ANIMALS = "Ant Badger Bear Beaver Bee Crane Crow Deer Dove Duck Eel Elk Finch Fox Hare Heron Ibis Kite Lark Lynx Marten Mole Otter Owl Pony Robin Seal Stork Swan Tern Wolf Wren".split(" ");

/** The stored identity, or a new random one. */
export function loadIdentity(): Identity {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Identity> | null;
    if (typeof stored?.name === "string" && stored.name !== "" && typeof stored.color === "number") {
      return { name: stored.name.slice(0, NAME_MAX), color: stored.color & 0xffffff };
    }
  } catch {
    // Without storage, a new name is chosen each time.
  }
  const identity = {
    name: `${pick(ADJECTIVES)} ${pick(ANIMALS)}`,
    color: pick(COLORS),
  };
  saveIdentity(identity);
  return identity;
}

/** Stores the identity. */
export function saveIdentity(identity: Identity): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(identity));
  } catch {
    // Without storage, the name lasts until the page is closed.
  }
}

/** The name without repeated spaces, cut to the length limit. */
export function cleanName(typed: string): string {
  return typed.trim().replace(/\s+/g, " ").slice(0, NAME_MAX);
}

function pick<Item>(items: readonly Item[]): Item {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const item = items[random % items.length];
  if (item === undefined) {
    throw new Error("nothing to pick from");
  }
  return item;
}
