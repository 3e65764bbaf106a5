/** A short confirmation at the bottom of the page, which screen readers announce. */

import { createSignal, Show } from "solid-js";

/** Time for which a confirmation is visible. */
const VISIBLE_MS = 6_000;

const [text, setText] = createSignal("");
let timer = 0;

/** Shows a confirmation. */
export function notify(message: string): void {
  window.clearTimeout(timer);
  setText(message);
  timer = window.setTimeout(() => setText(""), VISIBLE_MS);
}

/** The confirmation of the last action. */
export function Notice() {
  return (
    <div class="account-notice" role="status" aria-live="polite">
      <Show when={text()}>
        <p>{text()}</p>
      </Show>
    </div>
  );
}
