/**
 * Handler of `onCloseAutoFocus` for overlays: calls `focus` to move the focus when an overlay has
 * closed.
 *
 * The event comes a moment after the choice. If the focus is in another field or menu by then it
 * stays there; focus on the trigger of the overlay counts as none.
 */
export function restoreFocus(event: Event, trigger: HTMLElement | undefined, focus: () => void): void {
  event.preventDefault();
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body || activeElement === trigger) {
    queueMicrotask(focus);
  }
}
