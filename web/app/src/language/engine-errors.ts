/**
 * Texts of errors of the engine and the server, by error code
 * (`crates/wasm/src/error_messages.rs`).
 */

import { protectionErrorText } from "../protection/index.ts";
import { showNumber, t, translated } from "./language.ts";

/** Characters of the name of a sheet (`crates/operation/src/limits.rs`). */
const SHEET_NAME_LENGTH_MAX = 100;

/** An error of the engine. */
export interface EngineError {
  readonly code: string;
  readonly values: readonly string[];
  /** English message, for unknown codes. */
  readonly message: string;
}

/** The localized text of an error. */
export function engineErrorText({ code, values, message }: EngineError): string {
  const value = values[0] ?? "";
  switch (code) {
    case "readOnly":
      return t("You can view this workbook but not edit it.");
    case "protectedCells":
      return [t("These cells are protected."), value, values[1], t("Remove the protection with Data → Protected cells.")].filter(Boolean).join(" ");
    case "protectedSheet":
      return [t("This sheet is protected."), value, values[1], t("Remove the protection with Data → Protected cells.")].filter(Boolean).join(" ");
    case "tooLarge":
      return t("This is too much for one change. Import it as a file instead.");
    case "tooMuchUnsaved":
      return t("Too many unsaved changes. Wait for the connection.");
    case "nothingToUndo":
      return t("There is nothing to undo.");
    case "nothingToRedo":
      return t("There is nothing to redo.");
    case "undoForgotten":
      return t(
        "This page was offline too long. Earlier changes cannot be undone.",
      );
    case "notFollowed":
      return t(
        "This page was offline too long to merge your changes automatically. Check that your unsent changes are in the right place: {count}",
        { count: value },
      );
    case "overwrittenByOthers":
      return t("Others have changed all of these cells since, so nothing was undone.");
    case "sheetIsGone":
      return t("Someone else deleted the sheet, so there is nothing to undo.");
    case "refusedByServer":
      return rejectionText(value, values[1] ?? "");
    case "roomDeleted":
      return t("This workbook was deleted.");
    case "newerServer":
      return t("The server has a newer version. Reload the page.");
    case "forbidden":
      return t("This link does not open the workbook.");
    case "replaced":
      return t("This workbook copy is open elsewhere.");
    case "ended":
      return t("The server ended the connection ({reason}).", { reason: value });
    case "badFrame":
      return t("The server sent invalid data. The workbook is being reloaded.");
    case "searchLength":
      return t("The search text is empty or too long.");
    case "badPattern":
      return patternErrorText(value);
    case "unknownSheet":
      return t("This sheet was deleted.");
    case "badAddress":
      // The address follows English words.
      return t("Not a valid cell or range: {reason}", { reason: value.replace(/^.*?: /, "") });
    case "outsideSheet":
      return t("The cells do not fit on the sheet.");
    case "tooManyCells":
      return t("This exceeds the limit of {max} cells at once.", { max: showNumber(Number(values[1])) });
    case "sheetNameTaken":
      return t("A sheet named {name} already exists.", { name: value });
    case "tooManySheets":
      return t("A workbook can have at most {max} sheets.", { max: showNumber(Number(value)) });
    case "lastSheet":
      return t("A workbook must have at least one sheet.");
    case "noRoomToInsert":
      return t("Inserting would push filled cells off the end of the sheet.");
    case "badFillTarget":
      return t("The fill range must extend the source range in one direction.");
    case "badSortKey":
      return t("Choose a sort column inside the range.");
    case "noSeparator":
      return t("Choose a separator.");
    case "unknownName":
      return t("Unknown name: {name}", { name: value });
    case "tooManyItems":
      return t("This sheet has reached its limit of charts, rules, comments and other items.");
    case "notSuggestable":
      return t("Only contents of cells can be suggested. Go back to editing for this.");
    case "mergedCells":
      return t("Unmerge these cells first: {range}", { range: value });
    case "cellsOfPivotTable":
      return t("A pivot table fills these cells. Change its data or, in its panel, its fields.");
    case "partOfPivotTable":
      return t("Cells of a pivot table are deleted or moved together. Select all of them.");
    case "sortedPivotTable":
      return t("Sort a pivot table in its panel: each field has an order there.");
    case "partOfArray":
      return t("The formula in {cell} fills these cells. They move only together with it.", { cell: value });
    case "sortedArray":
      return t("The formula in {cell} fills these cells. To sort them, use SORT in it or paste its values.", { cell: value });
    case "tooManyCommands":
      return t("This is too much for one change. Import it as a file instead.");
    case "tooManyPieces":
      return t("The filter splits these cells into {count} ranges, too many for one change. Sort by the filtered column first.", {
        count: showNumber(Number(value)),
      });
    case "textTooLong":
      return t("A cell can contain at most {max} characters.", { max: showNumber(Number(value)) });
    case "formulaTooLong":
      return t("This formula is too long.");
    case "formulaTooDeep":
      return t("This formula has too many nested brackets.");
    case "numberFormatTooLong":
      return t("A number format can have at most {max} characters.", { max: showNumber(Number(value)) });
    case "badFontSize":
      return t("Enter a font size from 1 to 409.");
    case "badSheetName":
      return t("A sheet cannot be named {name}. A name has up to {max} characters, none of {characters}, and no apostrophe at either end.", {
        name: value,
        max: showNumber(SHEET_NAME_LENGTH_MAX),
        characters: "[ ] : * ? / \\",
      });
    case "badName":
      return t("A range cannot be named {name}.", { name: value });
    default:
      return translated(sentence(message));
  }
}

/** The text for a `RejectCode` of `crates/protocol`. */
function rejectionText(code: string, message: string): string {
  switch (code) {
    case "forbidden":
      return protectionErrorText(message) ?? t("You can view this workbook but not edit it.");
    case "too_large":
      return t("This is too much for one change. Import it as a file instead.");
    case "out_of_bounds":
      return t("The server rejected the change because it does not fit the sheet or is not valid.");
    case "bad_operation":
      return t("The server could not read the change, so it was reverted.");
    case "read_only":
      return t("The server does not accept changes at the moment. Try again later.");
    default:
      return t("The server rejected the change: {reason}", { reason: code });
  }
}

/** The text for a message of regex-lite: its many messages are grouped into five texts. */
function patternErrorText(reason: string): string {
  if (/not supported|unrecognized|not allowed|too many|too much/.test(reason)) {
    return t("This pattern contains unsupported syntax.");
  }
  if (/without matching '\('/.test(reason)) {
    return t("Invalid pattern: unmatched closing bracket.");
  }
  if (/closing '\)'|no closing bracket|unclosed character class/.test(reason)) {
    return t("Invalid pattern: unclosed bracket.");
  }
  if (/repetition/.test(reason)) {
    return t("Invalid pattern: incomplete repetition.");
  }
  return /end of pattern/.test(reason) ? t("Invalid pattern: unexpected end.") : t("This is not a valid pattern.");
}

/** The text for an error code of a REST request; `undefined` for other codes. */
export function serverRefusal(code: string): string | undefined {
  switch (code) {
    case "too_many_requests":
    case "overloaded":
    case "draining":
    case "request_timeout":
      return t("The server is busy. Nothing was changed. Try again.");
    case "forbidden":
      return t("You can view this workbook but not edit it.");
    case "mail_disabled":
      return t("Workbooks of this server cannot send e-mail.");
    case "no_such_room":
      return t("The workbook was deleted.");
    default:
      return undefined;
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
