/** Loads `overlays/`, once. */

import { type Accessor, createMemo, createSignal } from "solid-js";

type Overlays = typeof import("./overlays/index.ts");

const [loaded, setLoaded] = createSignal<Overlays>();
/** The last attempt has led to nothing. */
const [isMissing, setIsMissing] = createSignal(false);
export const overlaysFailed = isMissing;
/** How often something was pressed of which nothing came. */
const [missed, setMissed] = createSignal(0);
export const failedPresses = missed;
let loading: Promise<void> | undefined;

const alongside: (() => Promise<unknown>)[] = [];

/** For what opens with the parts and is of no use without them; before anything has asked for the parts. */
export function loadWithOverlays(load: () => Promise<unknown>): void {
  if (loading) {
    throw new Error("told too late: the overlays are already being loaded");
  }
  alongside.push(load);
}

/** Early, so that the first menu opens at once; or because somebody wants one. */
export function loadOverlays(): Promise<void> {
  setIsMissing(false);
  loading ??= Promise.all([import("./overlays/index.ts"), ...alongside.map((load) => load())]).then(
    ([parts]) => {
      setLoaded(() => parts);
    },
    (error: unknown) => {
      console.warn("quadrille: a part of the page could not be loaded:", error);
      // The next attempt starts anew.
      loading = undefined;
      setIsMissing(true);
    },
  );
  return loading;
}

/** For what has no place of its own to say that it did not come: the page says so (`overlaysMissed`). */
export function afterOverlaysLoad(then: () => void, otherwise?: () => void): void {
  void loadOverlays().then(() => {
    if (loaded()) {
      then();
    } else {
      setMissed((count) => count + 1);
      otherwise?.();
    }
  });
}

/** From the moment on that something is to open. */
export function overlaysFrom(isOpen: () => boolean): Accessor<Overlays | undefined> {
  const wasOpened = createMemo((before: boolean) => before || isOpen(), false);
  return createMemo(() => {
    if (wasOpened() && !loaded()) {
      void loadOverlays();
    }
    return wasOpened() ? loaded() : undefined;
  });
}

/** For what is inside of something that has opened. */
export function loadedOverlays(): Overlays {
  const parts = loaded();
  if (!parts) {
    throw new Error("used before it was opened");
  }
  return parts;
}
