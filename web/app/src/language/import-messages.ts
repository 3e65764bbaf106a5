/** Texts for failed imports and for omitted contents, by the codes and messages of the server. */

import { COLUMNS_MAX, ROWS_MAX } from "@quadrille/grid";
import { language, type Message, showNumber, t } from "./language.ts";
import { serverRefusal } from "./engine-errors.ts";

/** An error with a `FileErrorCode` of `crates/files`, an `ErrorCode` of `crates/server` or a `ColumnFileCode` of the client. */
export interface ImportError {
  readonly code?: string;
  /** English message. */
  readonly message: string;
  readonly row?: number | null;
  readonly column?: number | null;
}

/** The text of a failed import, with the position in the file. */
export function importFailure(error: ImportError): string {
  const text = reason(error);
  if (error.row == null) {
    return text;
  }
  return error.column == null
    ? t("Row {row}: {text}", { row: error.row, text })
    : t("Row {row}, column {column}: {text}", { row: error.row, column: error.column, text });
}

function reason({ code, message }: ImportError): string {
  switch (code) {
    case "unknown_format":
    case "unsupported_media_type":
      return t("This file type is not supported.");
    case "not_text":
      return t("This is not a text file.");
    case "invalid_encoding":
      return t("The text encoding is unknown. Save the file as UTF-8.");
    case "unterminated_quote":
      return t("Unclosed quotation mark.");
    case "too_many_rows":
      return t("A sheet can have at most {max} rows.", { max: ROWS_MAX });
    case "too_many_columns":
      return t("A sheet can have at most {max} columns.", { max: COLUMNS_MAX });
    case "too_many_cells":
      return t("The file has more cells than a workbook can hold.");
    case "too_many_sheets":
      return t("The file has more sheets than a workbook can hold.");
    case "text_too_long":
      return t("The text is too long for a cell.");
    case "bad_xml": {
      // `sheet Crates: xl/worksheets/sheet1.xml: …`
      const [part] = /[\w/.-]+\.(?:xml|rels)(?=: )/.exec(message) ?? [];
      return part === undefined
        ? t("The file is damaged or does not match its file type.")
        : t("The file is damaged: its part {part} cannot be read.", { part });
    }
    case "bad_json":
    case "bad_save":
    case "bad_archive":
    case "bad_columns":
      return t("The file is damaged or does not match its file type.");
    case "archive_limits":
      return t("The uncompressed file exceeds the server's size limit.");
    case "encrypted":
      return t("The file is password-protected. Save it without a password.");
    case "columns_not_supported":
      return t("This file uses a variant of its format that cannot be read.");
    case "columns_too_large":
      return t("The file is too large to be read on this device.");
    case "not_a_workbook":
      return t("This file contains no workbook.");
    case "body_too_large":
      return t("The file exceeds the server's size limit.");
    default:
      return serverRefusal(code ?? "") ?? sentence(message);
  }
}

const DAMAGED: ReadonlySet<string | undefined> = new Set(["bad_json", "bad_save", "bad_xml", "bad_archive", "bad_columns", "columns_not_supported", "columns_too_large"]);

/** The English details of a damaged or unusual file, for those who created it. */
export function importDetails({ code, message }: ImportError): string | undefined {
  // Without the position, which `importFailure` states.
  return DAMAGED.has(code) ? message.replace(/^(?:row|line) \d+(?:, column \d+)?: /, "") : undefined;
}

/** Omitted contents, in the words of the server. */
const OMITTED: readonly Message[] = [
  "a graph of an unknown type",
  "borders",
  "charts of unknown types",
  "colors other than RGB",
  "column widths other than pixels",
  "comments",
  "conditional formats",
  "conditional formats of unknown types",
  "CSS classes and styles",
  "data labels with texts of their own",
  "data types",
  "data validation",
  "default formats beyond the last row and column of the sheet",
  "descriptions of names",
  "embedded objects",
  "error bars with values of their own",
  "features of later versions of SocialCalc",
  "filters and database ranges",
  "filters whose condition is not known",
  "filters that combine columns with OR, or filter by colour or pattern",
  "font sizes, weights and alternative families that cells cannot have",
  "form controls",
  "gradients of fills",
  "grouped images and shapes",
  "hidden shapes",
  "horizontal error bars of scatter charts",
  "images missing from the file",
  "images other than PNG, JPEG, GIF and WebP",
  "limits of the rows and columns shown",
  "links to other files",
  "macros",
  "merged cells beyond the edge of the sheet",
  "merged cells that overlap others",
  "names without a definition, or beyond the limit",
  "padding",
  "panes that do not start at the edge of the sheet",
  "passwords of protected cells",
  "protection of sheets",
  "recalculation on request",
  "references of form controls",
  "series of charts without values",
  "shapes",
  "shapes that are too large",
  "shapes with contents of unknown types",
  "SmartArt graphics without contents",
  "surface charts",
  "texts in formats of their own",
  "the audit trail",
  "the graph of a named range",
  "the number formats formula, forcetext and logical",
  "what-if data tables",
  "widths and styles of borders that cells cannot have",
];

/** Omitted contents with a number or a name. */
const OMITTED_PATTERNS: readonly (readonly [server: RegExp, text: Message])[] = [
  [/^images larger than (?<max>\d+) MiB$/, "images larger than {max} MiB"],
  [/^images beyond (?<max>\d+) MiB in total$/, "images beyond {max} MiB in total"],
  [/^shapes beyond the first (?<max>\d+)$/, "shapes beyond the first {max}"],
  [/^items beyond (?<max>\d+) of one sheet$/, "charts, rules, comments and other items beyond {max} per sheet"],
  [/^checkboxes in more than (?<max>\d+) ranges$/, "checkboxes in more than {max} ranges of a sheet"],
  [/^protection of a sheet with more than (?<max>\d+) unprotected ranges$/, "protection of sheets with more than {max} unprotected ranges"],
  [/^(?<name>.+), which is not a worksheet$/, "{name}, which is not a worksheet"],
];

/** Changed contents, in the words of the server. */
const CHANGED: readonly Message[] = [
  "stock charts with other series are drawn as combo charts",
  "3-D charts are drawn in 2-D",
  "pie-of-pie charts are drawn as pie charts",
  "sunburst charts are drawn as treemaps",
  "Pareto charts are drawn without their line",
  "subtotals of waterfall charts are drawn as steps",
];

/** Number of omissions that are named; the others are counted. */
const NAMED_MAX = 6;
/** Number of other sentences that are displayed. */
const SENTENCES_MAX = 2;

/** One sentence with all omissions, followed by other warnings. */
export function importWarnings(warnings: readonly string[]): readonly string[] {
  const omissions = warnings.flatMap((warning) => /^left out: (.*)$/.exec(warning)?.[1] ?? []).map(omissionText);
  const others = warnings.filter((warning) => !warning.startsWith("left out: ")).map((warning) => sentence(warningText(warning)));
  const list = new Intl.ListFormat(language()).format(omissions.slice(0, NAMED_MAX));
  const rest = omissions.length > NAMED_MAX ? ` (+${showNumber(omissions.length - NAMED_MAX)})` : "";
  return [...(omissions.length > 0 ? [t("Not imported: {what}", { what: list + rest })] : []), ...others.slice(0, SENTENCES_MAX)];
}

function omissionText(what: string): string {
  const message = OMITTED.find((text) => text === what);
  if (message) {
    return t(message);
  }
  for (const [server, text] of OMITTED_PATTERNS) {
    const { max, name } = server.exec(what)?.groups ?? {};
    if (max !== undefined || name !== undefined) {
      return t(text, { max: Number(max), name: name ?? "" });
    }
  }
  return what;
}

function warningText(warning: string): string {
  const message = CHANGED.find((text) => text === warning);
  return message ? t(message) : warning;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
