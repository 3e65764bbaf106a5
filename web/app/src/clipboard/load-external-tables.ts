/** Loads what reads and writes tables of other programs, once; without it, copying and pasting are of text alone. */

export type Tables = typeof import("./external-tables/index.ts");

let loading: Promise<Tables | undefined> | undefined;

/** Early, so that it is there when it is wanted. Never fails: `undefined` where it cannot be loaded now. */
export function loadTables(): Promise<Tables | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Tables | undefined> {
  try {
    return await import("./external-tables/index.ts");
  } catch (error) {
    console.warn("quadrille: what reads tables of other programs could not be loaded:", error);
    // The next attempt starts anew.
    loading = undefined;
    return undefined;
  }
}
