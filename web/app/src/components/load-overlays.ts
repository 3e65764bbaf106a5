/** Loads `overlays/`, the code of menus, dialogs and popovers. */

import { type Accessor, createMemo, createSignal } from "solid-js";

type Overlays = typeof import("./overlays/index.ts");

const [loaded, setLoaded] = createSignal<Overlays>();
const [hasFailed, setHasFailed] = createSignal(false);
/** Whether the last attempt failed. */
export const overlaysFailed = hasFailed;
const [failedCount, setFailedCount] = createSignal(0);
/** Counts openings that failed. */
export const failedOpenings = failedCount;
let loading: Promise<void> | undefined;

const companions: (() => Promise<unknown>)[] = [];

/**
 * Registers code that is loaded together with the overlays. If the page before has loaded them already,
 * they count as loaded again only with this code.
 */
export function loadWithOverlays(load: () => Promise<unknown>): void {
  companions.push(load);
  loading = undefined;
  setLoaded(undefined);
}

/** Loads the overlays once. Never rejects: see `overlaysFailed`. */
export function loadOverlays(): Promise<void> {
  setHasFailed(false);
  const companionCount = companions.length;
  loading ??= Promise.all([import("./overlays/index.ts"), ...companions.map((load) => load())]).then(
    ([overlays]) => {
      if (companionCount === companions.length) {
        setLoaded(() => overlays);
      }
    },
    (error: unknown) => {
      console.warn("quadrille: a part of the page could not be loaded:", error);
      // The next call tries again.
      loading = undefined;
      setHasFailed(true);
    },
  );
  return loading;
}

/**
 * Loads the overlays, then calls `then`; when loading fails, counts a failed opening, which the
 * page reports, and calls `otherwise`.
 */
export function afterOverlaysLoad(then: () => void, otherwise?: () => void): void {
  void loadOverlays().then(() => {
    if (loaded()) {
      then();
    } else {
      setFailedCount((count) => count + 1);
      otherwise?.();
    }
  });
}

/**
 * The overlays, from the first time that `isOpen` is true; `undefined` before, and while they are
 * being loaded.
 */
export function overlaysOnceOpen(isOpen: () => boolean): Accessor<Overlays | undefined> {
  const wasOpened = createMemo((before: boolean) => before || isOpen(), false);
  return createMemo(() => {
    if (wasOpened() && !loaded()) {
      void loadOverlays();
    }
    return wasOpened() ? loaded() : undefined;
  });
}

/** The overlays, for components inside of an open one. */
export function loadedOverlays(): Overlays {
  const overlays = loaded();
  if (!overlays) {
    throw new Error("the overlays are not loaded");
  }
  return overlays;
}
