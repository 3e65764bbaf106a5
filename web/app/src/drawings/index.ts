/**
 * Drawings over the cells: layer, frame and positions. `charts` and `images` draw their contents.
 */

export { DeleteEntry } from "./DeleteEntry.tsx";
export { DrawingFrame } from "./DrawingFrame.tsx";
export { DrawingLayer } from "./DrawingLayer.tsx";
export { anchorFor, anchorOf, type DrawingPosition, positionOf, type Size } from "./drawing-position.ts";
export { FrameLoadError } from "./FrameLoadError.tsx";
