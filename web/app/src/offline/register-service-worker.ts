/**
 * Registers the service worker, which lets the page open offline. Service workers require HTTPS.
 */

/** Registers the service worker in production builds. */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) {
    return;
  }
  const register = (): void => {
    navigator.serviceWorker.register("/service-worker.js", { updateViaCache: "none" }).catch((error: unknown) => {
      // Without it, the page works but does not open offline.
      console.warn("quadrille: the service worker could not be registered:", error);
    });
  };
  // After the resources that the page needs first.
  if (document.readyState === "complete") {
    register();
  } else {
    window.addEventListener("load", register, { once: true });
  }
}
