/** Loads the menu entries together with the overlays. */

import { loadWithOverlays } from "../components/index.ts";

type Entries = typeof import("./entries.tsx");

let loaded: Entries | undefined;

loadWithOverlays(async () => {
  loaded = await import("./entries.tsx");
});

/** The menu entries, for an open menu. */
export function menuEntries(): Entries {
  if (!loaded) {
    throw new Error("the menu entries are not loaded");
  }
  return loaded;
}
