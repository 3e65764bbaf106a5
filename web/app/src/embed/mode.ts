/**
 * Embedding mode: whether this page is inside of a frame of another page, and the parameters of its
 * address.
 */

import type { Scheme } from "../theme/index.ts";

/** Parameters of an embedded page. */
export interface Embedding {
  readonly mode: "view" | "edit";
  readonly sheet: string | undefined;
  readonly range: string | undefined;
  readonly language: string | undefined;
  readonly scheme: Scheme | undefined;
}

/** The parameters in a query string; `undefined` when the page is not embedded. */
export function embeddingOf(search: string): Embedding | undefined {
  const parameters = new URLSearchParams(search);
  if (!parameters.has("embed")) {
    return undefined;
  }
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  return {
    // Any other value permits viewing only.
    mode: parameters.get("embed") === "edit" ? "edit" : "view",
    sheet: text("sheet"),
    range: text("range"),
    language: text("lang"),
    scheme: schemeOf(parameters.get("theme")),
  };
}

/** The parameters of this page; `undefined` when it is not embedded. */
export const embedding = embeddingOf(typeof location === "undefined" ? "" : location.search);

/** The color scheme of a `theme` parameter. */
export function schemeOf(text: string | null): Scheme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}

/**
 * Time after a press in which the page counts as focused: during the press the document does not
 * have the focus yet.
 */
const PRESS_MS = 1_000;
let pressedAtMs = Number.NEGATIVE_INFINITY;

/** Starts to record presses. */
export function watchPresses(): void {
  const options = { capture: true, passive: true };
  window.addEventListener("pointerdown", () => (pressedAtMs = performance.now()), options);
}

/**
 * Whether the page may take the focus. An embedded page does not take it from its host unless the
 * user presses on it.
 */
export function canTakeFocus(): boolean {
  return window.parent === window || document.hasFocus() || performance.now() - pressedAtMs < PRESS_MS;
}
