/**
 * For `onCloseAutoFocus` of what opens over the page: `give` says where the keyboard goes.
 *
 * It comes a moment after the choice. Whoever is elsewhere by then, in a field or in the next menu, keeps the keyboard;
 * the button that it opened from is not elsewhere.
 */
export function afterClosing(event: Event, trigger: HTMLElement | undefined, give: () => void): void {
  event.preventDefault();
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body || activeElement === trigger) {
    queueMicrotask(give);
  }
}
