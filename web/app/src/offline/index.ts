/** Offline use: service worker and stored images. */

export { UNSENT_IMAGES } from "./image-cache-names.ts";
export { cacheImage, storeUnsent } from "./image-store.ts";
export { registerServiceWorker } from "./register-service-worker.ts";
