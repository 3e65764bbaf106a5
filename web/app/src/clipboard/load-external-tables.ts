/** Loads the code for tables of other programs; without it, only text is copied and pasted. */

/** The module with the code. */
export type Tables = typeof import("./external-tables/index.ts");

let loading: Promise<Tables | undefined> | undefined;

/**
 * Loads the code once, or returns the running load. Never rejects: gives `undefined` when loading
 * fails.
 */
export function loadTables(): Promise<Tables | undefined> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Tables | undefined> {
  try {
    return await import("./external-tables/index.ts");
  } catch (error) {
    console.warn("quadrille: the code for tables of other programs could not be loaded:", error);
    // The next call tries again.
    loading = undefined;
    return undefined;
  }
}
