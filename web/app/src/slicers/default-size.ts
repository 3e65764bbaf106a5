/** Sizes of slicers in CSS pixels at zoom 1. */

import type { Size } from "../drawings/index.ts";

/** The size of a list of values without fields for it. */
export const DEFAULT_SLICER_SIZE: Size = { width: 190, height: 230 };
/** The size of a new timeline. */
export const DEFAULT_TIMELINE_SIZE: Size = { width: 380, height: 144 };
export const SLICER_SIZE_MIN: Size = { width: 110, height: 90 };
