/** The shapes that can be inserted. */

import type { Message } from "../language/index.ts";
import type { ShapeAttributes } from "./shape-api.ts";

/** A shape of the gallery. */
export interface ShapePreset {
  readonly name: Message;
  /** The strokes of its icon on a 24 × 24 grid. */
  readonly icon: string;
  readonly width: number;
  readonly height: number;
  readonly attributes: ShapeAttributes;
}

function shape(preset: string, name: Message, icon: string, width = 120, height = 80): ShapePreset {
  return { name, icon, width, height, attributes: { preset, text: "" } };
}

function line(name: Message, icon: string, attributes: ShapeAttributes): ShapePreset {
  return { name, icon, width: 140, height: 0, attributes: { preset: "straightConnector1", ...attributes } };
}

/** The shapes of the gallery, in rows of six. */
export const SHAPE_PRESETS: readonly ShapePreset[] = [
  shape("rect", "Rectangle", "M3 6h18v12H3z"),
  shape("roundRect", "Rounded rectangle", "M6 6h12a3 3 0 0 1 3 3v6a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V9a3 3 0 0 1 3-3z"),
  shape("ellipse", "Ellipse", "M12 6c5 0 9 2.700 9 6s-4 6-9 6-9-2.700-9-6 4-6 9-6z"),
  shape("triangle", "Triangle", "M12 4 21 19H3z", 100, 90),
  shape("diamond", "Diamond", "M12 4 21 12 12 20 3 12z"),
  shape("hexagon", "Hexagon", "M7 5h10l4 7-4 7H7l-4-7z"),
  shape("rightArrow", "Right arrow", "M3 9h10V5l8 7-8 7v-4H3z"),
  shape("leftArrow", "Left arrow", "M21 9H11V5l-8 7 8 7v-4h10z"),
  shape("upArrow", "Up arrow", "M9 21V11H5l7-8 7 8h-4v10z", 80, 120),
  shape("downArrow", "Down arrow", "M9 3v10H5l7 8 7-8h-4V3z", 80, 120),
  shape("leftRightArrow", "Double arrow", "M2 12l5-5v3h10V7l5 5-5 5v-3H7v3z"),
  shape("homePlate", "Pentagon arrow", "M3 6h12l6 6-6 6H3z"),
  shape("wedgeRectCallout", "Callout", "M3 5h18v10h-9l-4 5v-5H3z"),
  shape("wedgeRoundRectCallout", "Rounded callout", "M6 5h12a3 3 0 0 1 3 3v4a3 3 0 0 1-3 3h-6l-4 5v-5H6a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3z"),
  shape("star5", "Star", "M12 3l2.700 6.200 6.700.600-5.100 4.400 1.600 6.600L12 17.300l-5.900 3.500 1.600-6.600-5.100-4.400 6.700-.600z", 100, 100),
  line("Line", "M4 19 20 5", {}),
  line("Line with an arrow", "M4 19 20 5M13 5h7v7", { endArrow: true }),
  line("Line with two arrows", "M4 19 20 5M13.500 5H20v6.500M10.500 19H4v-6.500", { startArrow: true, endArrow: true }),
];

/** Size of a new text box in CSS pixels. */
export const TEXT_BOX = { width: 160, height: 80 };
