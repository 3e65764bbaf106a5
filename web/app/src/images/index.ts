/** Images. `ImageFrame.tsx`, `ImagePanel.tsx` and `insert-image.ts` are loaded when needed. */

export { DEFAULT_IMAGE_SIZE } from "./default-size.ts";
export { imageUrl } from "./source.ts";
export { sendQueuedImages } from "./upload-queue.ts";
