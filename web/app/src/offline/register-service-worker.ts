/** Keeps the page itself for when there is no network. Needs a secure page, as does all that is kept. */

export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) {
    return;
  }
  const register = (): void => {
    navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch((error: unknown) => {
      // The page works without; it only will not open offline.
      console.warn("quadrille: the page cannot be kept for offline use:", error);
    });
  };
  // After what the person waits for.
  if (document.readyState === "complete") {
    register();
  } else {
    window.addEventListener("load", register, { once: true });
  }
}
