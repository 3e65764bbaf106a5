/**
 * Cell formats: toolbar parts, borders, number formats, styles and CSS. The dialogs are loaded on
 * first use.
 */

export { alternateRows } from "./alternating-colors.ts";
export { borderCommands } from "./borders.ts";
export { BordersTool } from "./BordersTool.tsx";
export { declarationsOf, hexColor, sideOf } from "./cell-css.ts";
export { ColorPicker, Swatch } from "./ColorPicker.tsx";
export { FontTools } from "./FontTools.tsx";
export { formatSelection, selectedFormat, toggleSelection } from "./format-selection.ts";
export { numberFormatName, numberFormats } from "./number-formats.ts";
export { FormatPainter } from "./paint-format.ts";
