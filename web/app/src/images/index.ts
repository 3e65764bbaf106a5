/** Images. `ImageFrame.tsx`, `ImagePanel.tsx` and `insert-image.ts` are loaded when needed. */

export { DEFAULT_IMAGE_SIZE } from "./default-size.ts";
export { imageUrl, storedImage } from "./source.ts";
export { sendQueuedImages } from "./upload-queue.ts";
