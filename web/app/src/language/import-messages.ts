/** Why a file could not be brought in, and what of it was left out, in the reader's language: by the server's codes. */

import { COLUMNS_MAX, ROWS_MAX } from "@quadrille/grid";
import { language, type Message, showNumber, t } from "./language.ts";
import { serverRefusal } from "./engine-errors.ts";

/** `FileErrorCode` in crates/files, or `ErrorCode` in crates/server. */
export interface ImportError {
  readonly code?: string;
  /** In English. */
  readonly message: string;
  readonly row?: number | null;
  readonly column?: number | null;
}

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
      return t("Files of this kind cannot be read.");
    case "not_text":
      return t("This is not a text file.");
    case "invalid_encoding":
      return t("The encoding of this text is not known. Save it as UTF-8.");
    case "unterminated_quote":
      return t("Unclosed quotation mark.");
    case "too_many_rows":
      return t("A sheet has no more rows than {max}.", { max: ROWS_MAX });
    case "too_many_columns":
      return t("A sheet has no more columns than {max}.", { max: COLUMNS_MAX });
    case "too_many_cells":
      return t("The file has more cells than a workbook can hold.");
    case "too_many_sheets":
      return t("The file has more sheets than a workbook can hold.");
    case "text_too_long":
      return t("A text is longer than a cell can hold.");
    case "bad_xml": {
      // `sheet Crates: xl/worksheets/sheet1.xml: …`
      const [part] = /[\w/.-]+\.(?:xml|rels)(?=: )/.exec(message) ?? [];
      return part === undefined
        ? t("The file is damaged, or not what its name says.")
        : t("The file is damaged: its part {part} cannot be read.", { part });
    }
    case "bad_json":
    case "bad_save":
    case "bad_archive":
      return t("The file is damaged, or not what its name says.");
    case "archive_limits":
      return t("Unpacked, the file is larger than the server takes in.");
    case "encrypted":
      return t("The file is locked with a password. Save it without one.");
    case "not_a_workbook":
      return t("There is no workbook in this file.");
    case "body_too_large":
      return t("The file is larger than the server takes in.");
    default:
      return serverRefusal(code ?? "") ?? sentence(message);
  }
}

const DAMAGED: ReadonlySet<string | undefined> = new Set(["bad_json", "bad_save", "bad_xml", "bad_archive"]);

/** In English: what helps those who made a damaged file, and nobody else. */
export function importDetails({ code, message }: ImportError): string | undefined {
  // The place at its beginning we say ourselves.
  return DAMAGED.has(code) ? message.replace(/^(?:row|line) \d+(?:, column \d+)?: /, "") : undefined;
}

/** What files have that is left out, in the server's words. */
const LEFT_OUT: readonly Message[] = [
  "borders",
  "charts and drawings",
  "charts of surfaces",
  "charts of unknown kinds",
  "comments",
  "conditional formats",
  "conditional formats of an unknown kind",
  "data validation",
  "filters and database ranges",
  "filters by icon, day, month or year",
  "filters that join columns by or, by colour or by pattern",
  "grouped images and shapes",
  "links to other files",
  "locked cells",
  "macros",
  "merged cells",
  "passwords of protected cells",
  "images other than PNG, JPEG, GIF and WebP",
  "images missing from the file",
  "protection of sheets",
  "series of charts without values",
  "shapes",
  "what-if data tables",
];

/** Likewise, with the number or the name in it. */
const LEFT_OUT_OF: readonly (readonly [server: RegExp, words: Message])[] = [
  [/^images larger than (?<max>\d+) MiB$/, "images larger than {max} MiB"],
  [/^images beyond (?<max>\d+) MiB in total$/, "images beyond {max} MiB in total"],
  [/^items beyond (?<max>\d+) of one sheet$/, "charts, rules, comments and the like beyond {max} of one sheet"],
  [/^protection of a sheet with more than (?<max>\d+) open ranges$/, "protection of a sheet with more than {max} open ranges"],
  [/^(?<name>.+), which is no sheet with cells$/, "{name}, which is no sheet with cells"],
];

/** What is there, but not as in the file. */
const CHANGED: readonly Message[] = [
  "charts of share prices are drawn as lines",
  "charts with depth are drawn flat",
  "pies with a second pie are drawn as one",
];

/** More than this of what was left out is a number: few read a longer list in the time that it shows. */
const NAMED_MAX = 6;
/** Of other sentences. */
const SENTENCES_MAX = 2;

/** All that was left out in one sentence, and what else there is to say. */
export function importWarnings(warnings: readonly string[]): readonly string[] {
  const things = warnings.flatMap((warning) => /^left out: (.*)$/.exec(warning)?.[1] ?? []).map(leftOut);
  const others = warnings.filter((warning) => !warning.startsWith("left out: ")).map((warning) => sentence(changed(warning)));
  const list = new Intl.ListFormat(language()).format(things.slice(0, NAMED_MAX));
  const rest = things.length > NAMED_MAX ? ` (+${showNumber(things.length - NAMED_MAX)})` : "";
  return [...(things.length > 0 ? [t("Left out: {what}", { what: list + rest })] : []), ...others.slice(0, SENTENCES_MAX)];
}

function leftOut(what: string): string {
  const known = LEFT_OUT.find((message) => message === what);
  if (known) {
    return t(known);
  }
  for (const [server, words] of LEFT_OUT_OF) {
    const { max, name } = server.exec(what)?.groups ?? {};
    if (max !== undefined || name !== undefined) {
      return t(words, { max: Number(max), name: name ?? "" });
    }
  }
  return what;
}

function changed(warning: string): string {
  const known = CHANGED.find((message) => message === warning);
  return known ? t(known) : warning;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
