/**
 * Drawings over the cells: layer, frame and positions. `charts` and `images` draw their contents.
 */

export { DeleteEntry } from "./DeleteEntry.tsx";
export { DrawingFrame } from "./DrawingFrame.tsx";
export { DrawingLayer } from "./DrawingLayer.tsx";
export { anchorOf, type DrawingPosition, type Size } from "./drawing-position.ts";
export { FrameLoadError } from "./FrameLoadError.tsx";
