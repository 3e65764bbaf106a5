/**
 * The parts of a workbook that are loaded after it is editable, in one file: panels, dialogs, popups,
 * help, the contents of menus and popovers, and commands that few people use in the first second.
 */

import { createSignal, untrack } from "solid-js";
import { afterOverlaysLoad, loadIcons, loadWithOverlays } from "../components/index.ts";
import { loadEnglishForms } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

type LaterParts = typeof import("./later.ts");

const [parts, setParts] = createSignal<LaterParts>();

// They are loaded together with the overlays, since open menus and popovers contain them.
loadWithOverlays(async () => {
  const [loaded] = await Promise.all([import("./later.ts"), loadIcons(), loadEnglishForms()]);
  setParts(() => loaded);
});

/** The later parts; `undefined` until they are loaded. */
export const laterParts = parts;

/** The later parts, for the contents of an open menu or popover. */
export function openParts(): LaterParts {
  const loaded = untrack(parts);
  if (!loaded) {
    throw new Error("the later parts are not loaded");
  }
  return loaded;
}

/** Runs an action of the later parts if they are loaded: one that nothing waits for. */
export function ifLoaded(action: (parts: LaterParts) => void): void {
  const loaded = untrack(parts);
  if (loaded) {
    action(loaded);
  }
}

/**
 * Runs an action of the later parts: at once when they are loaded, otherwise after they have been
 * loaded, and later keys wait for it. When loading fails, the page says so and `otherwise` is called.
 */
export function withLaterParts(model: WorkbookModel, action: (parts: LaterParts) => void, otherwise?: () => void): void {
  const loaded = untrack(parts);
  if (loaded) {
    action(loaded);
    return;
  }
  const isDone = new Promise<void>((done) => {
    afterOverlaysLoad(() => {
      action(openParts());
      done();
    }, () => {
      otherwise?.();
      done();
    });
  });
  model.keys.waitFor(isDone);
}
