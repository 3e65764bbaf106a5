/** Whether this page is part of another one, and what that one asked for in the address. */

import type { Scheme } from "../theme/index.ts";

export interface Embedding {
  readonly mode: "view" | "edit";
  readonly sheet: string | undefined;
  readonly range: string | undefined;
  readonly language: string | undefined;
  readonly scheme: Scheme | undefined;
}

export function embeddingOf(search: string): Embedding | undefined {
  const parameters = new URLSearchParams(search);
  if (!parameters.has("embed")) {
    return undefined;
  }
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  return {
    // Whatever does not say that it edits only shows.
    mode: parameters.get("embed") === "edit" ? "edit" : "view",
    sheet: text("sheet"),
    range: text("range"),
    language: text("lang"),
    scheme: schemeOf(parameters.get("theme")),
  };
}

export const embedding = embeddingOf(typeof location === "undefined" ? "" : location.search);

export function schemeOf(text: string | null): Scheme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}

/** While a press is handled the document does not have the focus yet. */
const PRESS_MS = 1_000;
let pressedAtMs = Number.NEGATIVE_INFINITY;

/** Before any press that counts. */
export function watchPresses(): void {
  const options = { capture: true, passive: true };
  window.addEventListener("pointerdown", () => (pressedAtMs = performance.now()), options);
}

/** A page in a frame must not take the keyboard away from the page round it, unless somebody presses on it. */
export function canTakeFocus(): boolean {
  return window.parent === window || document.hasFocus() || performance.now() - pressedAtMs < PRESS_MS;
}
