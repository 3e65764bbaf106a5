/** Everything that `later-parts.ts` loads, see there. */

import { speakHistory, speakPlace, speakSelection, speakToggle } from "../accessibility/index.ts";
import { insertChart } from "../charts/index.ts";
import { Copying, pasteContents } from "../clipboard/index.ts";
import { DrawingLayer } from "../drawings/index.ts";
import { enterValue, pressButton, toggleCheckbox } from "../form-controls/index.ts";
import { fillToEnd } from "../filter/index.ts";
import { BorderChoices, ColorPicker, formatPainter, numberFormatName, numberFormats } from "../formatting/index.ts";
import { FormulaHighlight, insertFunction, toggleLines } from "../formulas/index.ts";
import { PeopleList } from "../header/index.ts";
import { engineErrorText } from "../language/index.ts";
import { runSheetCommand } from "../keyboard/index.ts";
import { followLink } from "../links/index.ts";
import { describeProtection } from "../protection/index.ts";
import { fitSizes, RowsAndColumns } from "../rows-columns/index.ts";
import { checkKeepsCells, dragTab, SheetDialogs, SheetMenu } from "../sheets/index.ts";
import { sendSuggestion } from "../suggestions/index.ts";
import { pressStar } from "../validation/index.ts";
import { BarsAboveCells, BesideCells, OutlineBars, OverCells, OverPage, PresentationFooter } from "./LaterAreas.tsx";

export {
  BarsAboveCells,
  BesideCells,
  BorderChoices,
  checkKeepsCells,
  ColorPicker,
  Copying,
  describeProtection,
  dragTab,
  DrawingLayer,
  engineErrorText,
  enterValue,
  fillToEnd,
  followLink,
  fitSizes,
  FormulaHighlight,
  formatPainter,
  insertChart,
  insertFunction,
  numberFormatName,
  numberFormats,
  OutlineBars,
  OverCells,
  OverPage,
  pasteContents,
  PeopleList,
  PresentationFooter,
  pressButton,
  pressStar,
  RowsAndColumns,
  runSheetCommand,
  sendSuggestion,
  SheetDialogs,
  SheetMenu,
  speakHistory,
  speakPlace,
  speakSelection,
  speakToggle,
  toggleCheckbox,
  toggleLines,
};
