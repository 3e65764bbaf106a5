/** The browser's question before a page with unsaved changes is closed. */

/** Lets the browser ask while `wouldLoseChanges`. */
export function warnBeforeUnload(wouldLoseChanges: () => boolean, signal: AbortSignal): void {
  const warn = (event: BeforeUnloadEvent): void => {
    if (wouldLoseChanges()) {
      event.preventDefault();
    }
  };
  window.addEventListener("beforeunload", warn, { signal });
}
