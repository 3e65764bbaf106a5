/**
 * Cell formats: toolbar parts, borders, number formats, styles and CSS. The dialogs are loaded on
 * first use.
 */

export { alternateRows } from "./alternating-colors.ts";
export { borderCommands } from "./borders.ts";
export { BorderChoices } from "./BorderChoices.tsx";
export { BordersTool } from "./BordersTool.tsx";
export { declarationsOf, hexColor, sideOf } from "./cell-css.ts";
export { ColorPicker } from "./ColorPicker.tsx";
export { FontTools } from "./FontTools.tsx";
export { formatSelection, selectedFormat, toggleSelection } from "./format-selection.ts";
export { numberFormatName, numberFormats } from "./number-formats.ts";
export { formatPainter } from "./paint-format.ts";
export { Swatch } from "./Swatch.tsx";
