/** Names of the image caches, shared by page and service worker. */

/** Displayed images by their addresses. The content of an address never changes. */
export const IMAGE_CACHE = "quadrille-pictures";
/** Images that are not uploaded yet. */
export const UNSENT_IMAGES = "quadrille-unsent-pictures";
