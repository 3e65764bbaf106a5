export { DrawingFrame } from "./DrawingFrame.tsx";
export { DrawingLayer } from "./DrawingLayer.tsx";
export { FrameLoadError } from "./FrameLoadError.tsx";
export { anchorOf, type DrawingPosition, type Size } from "./drawing-position.ts";
