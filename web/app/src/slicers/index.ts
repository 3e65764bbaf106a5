/** Slicers: buttons over the cells that filter the data of their sheet by one column. */

export { DEFAULT_SLICER_SIZE } from "./default-size.ts";
export { insertSlicer } from "./slicers.ts";
