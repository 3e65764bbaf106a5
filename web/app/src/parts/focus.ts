/**
 * For `onCloseAutoFocus` of what opens over the page: `give` says where the keyboard goes.
 *
 * It comes a moment after the choice. Whoever is typing into a field by then keeps the keyboard.
 */
export function afterClosing(event: Event, give: () => void): void {
  event.preventDefault();
  if (!document.activeElement?.matches("input, textarea, select, [contenteditable]")) {
    queueMicrotask(give);
  }
}
