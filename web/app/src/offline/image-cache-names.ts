/** What the page and its service worker call where pictures are kept. */

/** Pictures of rooms that were open in this browser, by their addresses. What is behind an address never changes. */
export const IMAGE_CACHE = "quadrille-pictures";
/** Those that the server has yet to get. */
export const UNSENT_IMAGES = "quadrille-unsent-pictures";
