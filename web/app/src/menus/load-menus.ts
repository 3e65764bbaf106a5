/** Loads what the menus hold, together with what draws them. */

import { loadWithOverlays } from "../components/index.ts";

type Entries = typeof import("./entries.tsx");

let loaded: Entries | undefined;

loadWithOverlays(async () => {
  loaded = await import("./entries.tsx");
});

/** For a menu that has opened. */
export function menuEntries(): Entries {
  if (!loaded) {
    throw new Error("used before a menu was opened");
  }
  return loaded;
}
