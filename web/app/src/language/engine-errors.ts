/** What the engine refuses, in the reader's language: its codes (`crates/wasm/src/error_messages.rs`) and our sentences. */

import { engineErrorParts } from "../protection/index.ts";
import { showNumber, t, translated } from "./language.ts";

export interface Refusal {
  readonly code: string;
  readonly values: readonly string[];
  /** In English. */
  readonly message: string;
}

export function engineErrorText({ code, values, message }: Refusal): string {
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
      return t("Too many changes wait to be saved. Please wait for the connection.");
    case "nothingToUndo":
      return t("There is nothing to undo.");
    case "nothingToRedo":
      return t("There is nothing to redo.");
    case "undoForgotten":
      return t(
        "This page was away so long that it does not know what others did. What was done before cannot be undone.",
      );
    case "notFollowed":
      return t(
        "This page was away so long that it does not know what others did. Please look whether your changes that had not been sent are still in the right place: {count}",
        { count: value },
      );
    case "overwrittenByOthers":
      return t("Others have changed all of it since, so it was left alone.");
    case "sheetIsGone":
      return t("Others have removed the sheet on which it was done, so there is nothing to take back.");
    case "refusedByServer":
      return rejected(value, values[1] ?? "");
    case "roomDeleted":
      return t("This workbook was deleted.");
    case "newerServer":
      return t("The server has a newer version. Please reload the page.");
    case "forbidden":
      return t("This link does not open the workbook.");
    case "replaced":
      return t("This workbook copy is open elsewhere.");
    case "ended":
      return t("The server ended the connection ({reason}).", { reason: value });
    case "badFrame":
      return t("The server sent invalid data. The workbook is being reloaded.");
    case "searchLength":
      return t("This text cannot be searched for: it is empty or too long.");
    case "badPattern":
      return badPattern(value);
    case "unknownSheet":
      return t("This sheet was deleted.");
    case "badAddress":
      // Before the address stand English words.
      return t("Not a valid cell or range: {reason}", { reason: value.replace(/^.*?: /, "") });
    case "outsideSheet":
      return t("The cells do not fit on the sheet.");
    case "tooManyCells":
      return t("These are more cells at once than {max}.", { max: showNumber(Number(values[1])) });
    case "sheetNameTaken":
      return t("Another sheet is named {name}.", { name: value });
    case "tooManySheets":
      return t("A workbook holds no more sheets than {max}.", { max: showNumber(Number(value)) });
    case "lastSheet":
      return t("A workbook keeps at least one sheet.");
    case "noRoomToInsert":
      return t("Inserting would push filled cells off the end of the sheet.");
    case "badFillTarget":
      return t("The cells to fill must extend the others in one direction.");
    case "badSortKey":
      return t("Sorting needs a column within the range.");
    case "noSeparator":
      return t("Splitting needs a separator.");
    case "unknownName":
      return t("Unknown name: {name}", { name: value });
    case "tooManyItems":
      return t("This sheet holds as many charts, rules, comments and the like as it can.");
    case "mergedCells":
      return t("Unmerge these cells first: {range}", { range: value });
    case "tooManyCommands":
      return t("This is too much for one change. Import it as a file instead.");
    case "tooManyPieces":
      return t("The filter cuts these cells into {count} pieces, too many for one change. Sort by the column that is filtered first.", {
        count: showNumber(Number(value)),
      });
    case "textTooLong":
      return t("A text in a cell has at most {max} characters.", { max: showNumber(Number(value)) });
    case "formulaTooLong":
      return t("This formula is too long.");
    case "formulaTooDeep":
      return t("This formula has too many nested brackets.");
    case "numberFormatTooLong":
      return t("A number format has at most {max} characters.", { max: showNumber(Number(value)) });
    case "badFontSize":
      return t("Enter a font size from 1 to 409.");
    case "badSheetName":
      return t("A sheet cannot be named {name}.", { name: value });
    case "badName":
      return t("A range cannot be named {name}.", { name: value });
    default:
      return translated(sentence(message));
  }
}

/** By `RejectCode` in crates/protocol. */
function rejected(code: string, message: string): string {
  switch (code) {
    case "forbidden":
      return engineErrorParts(message) ?? t("You can view this workbook but not edit it.");
    case "too_large":
      return t("This is too much for one change. Import it as a file instead.");
    case "out_of_bounds":
      return t("The server rejected the change because it does not fit the sheet or is not valid.");
    case "bad_operation":
      return t("The server could not read the change, so it was taken back.");
    case "read_only":
      return t("The server does not take changes at the moment. Please try again later.");
    default:
      return t("The server refused the change: {reason}", { reason: code });
  }
}

/** Why the engine's regular expressions (regex-lite) do not take a pattern: dozens of sentences, of five kinds. */
function badPattern(reason: string): string {
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

/** Why the server does not do what a page asked of it outside the session, where there is a sentence for it. */
export function serverRefusal(code: string): string | undefined {
  switch (code) {
    case "too_many_requests":
    case "overloaded":
    case "draining":
    case "request_timeout":
      return t("The server is busy. Nothing was changed; please try again.");
    case "forbidden":
      return t("You can view this workbook but not edit it.");
    case "no_such_room":
      return t("The workbook was deleted.");
    default:
      return undefined;
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
