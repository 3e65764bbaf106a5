export * from "./address.ts";
export { Axis, type HiddenRun, type SizeRun } from "./axis.ts";
export * from "./selection.ts";
export { Grid, type SheetShape, COLUMN_WIDTH_PX, ROW_HEIGHT_PX, ZOOM_MAX, ZOOM_MIN } from "./grid.ts";
export type { Hit } from "./hit.ts";
export type { Dimension, GridListener, Pressable } from "./listener.ts";
export type { OtherSelection, ReferenceBox } from "./scene.ts";
export { cssColor, inkOn, type Theme } from "./theme.ts";
export { type Box } from "./view.ts";
