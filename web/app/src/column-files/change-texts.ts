/** What people are told about values that a workbook has in another form than the file. */

import type { Change } from "./cell-values.ts";
import { language, showNumber, t } from "../language/index.ts";

/** Columns that are named; the others are counted. */
const NAMED_MAX = 3;

/** One sentence about all changes; none without one. */
export function changeTexts(changes: readonly { readonly change: Change; readonly columns: readonly string[] }[]): readonly string[] {
  if (changes.length === 0) {
    return [];
  }
  const list = new Intl.ListFormat(language()).format(changes.map(({ change, columns }) => changeText(change, columnList(columns))));
  return [t("In another form than in the file: {what}", { what: list })];
}

function columnList(columns: readonly string[]): string {
  const named = columns.slice(0, NAMED_MAX).join(", ");
  return columns.length > NAMED_MAX ? `${named} (+${showNumber(columns.length - NAMED_MAX)})` : named;
}

function changeText(change: Change, columns: string): string {
  switch (change) {
    case "digits":
      return t("numbers with too many digits as text ({columns})", { columns });
    case "notFinite":
      return t("infinite and undefined numbers as text ({columns})", { columns });
    case "dates":
      return t("dates before 1900 or after 9999 as text ({columns})", { columns });
    case "zones":
      return t("times with a time zone in UTC ({columns})", { columns });
    case "bytes":
      return t("binary data as hexadecimal digits ({columns})", { columns });
    case "nested":
      return t("lists and structures as JSON ({columns})", { columns });
  }
}
