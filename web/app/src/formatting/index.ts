export { BordersTool } from "./BordersTool.tsx";
export { Colors, Swatch } from "./ColorPicker.tsx";
export { FontTools } from "./FontTools.tsx";
export { alternateRows } from "./alternating-colors.ts";
export { borderCommands } from "./borders.ts";
export { declarationsOf, hexColor, sideOf } from "./cell-css.ts";
export { nameOf, numberFormats } from "./number-formats.ts";
export { FormatPainter } from "./paint-format.ts";
