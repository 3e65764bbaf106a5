export * from "./address.ts";
export { Axis, type SizeRun } from "./axis.ts";
export * from "./selection.ts";
export { type Dimension, Grid, type GridListener, type SheetShape, COLUMN_WIDTH_PX, ROW_HEIGHT_PX } from "./grid.ts";
export type { Hit } from "./hit.ts";
export type { OtherSelection } from "./scene.ts";
export { cssColor, inkOn, type Theme } from "./theme.ts";
export { type Box } from "./view.ts";
