/**
 * Formulas of calculated fields, as people write them and as they are stored: `=Revenue/'Unit price'`
 * names columns by their headers, `=$B:$B/$C:$C` refers to them, so that it follows its columns.
 */

import type { ItemDetails, ItemValue, PivotColumn } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { type FieldRecord, fieldsOf } from "./fields.ts";

/** A stored formula, or the first name in the typed one that no column has. */
export type ReadFormula = { readonly stored: string } | { readonly unknown: string };

/** Texts, quoted names, and words with the parenthesis that makes them functions. */
const TOKEN = /"(?:[^"]|"")*"|'((?:[^']|'')*)'|\[([^\]]*)\]|([\p{L}_][\p{L}\p{N}_.]*)(\s*\()?/gu;
/** Names that need no quotation marks. */
const PLAIN = /^[\p{L}_][\p{L}\p{N}_.]*$/u;
/** Words that are no names of columns unless there is such a column. */
const CONSTANTS = new Set(["TRUE", "FALSE"]);

/** Whether a value field is a calculated one. */
export function isCalculated(field: FieldRecord): boolean {
  return typeof field["formula"] === "string";
}

/** Replaces the names of columns in a typed formula with references. */
export function storedCalculation(typed: string, columns: readonly PivotColumn[]): ReadFormula {
  let unknown: string | undefined;
  const text = typed.trim().replace(/^=/, "");
  const stored = text.replace(TOKEN, (token: string, quoted?: string, bracketed?: string, word?: string, call?: string) => {
    const name = quoted?.replaceAll("''", "'") ?? bracketed ?? word;
    if (name === undefined || call !== undefined) {
      return token;
    }
    const column = columns.find((other) => other.name.trim().toLowerCase() === name.trim().toLowerCase());
    if (column) {
      return column.reference.slice(1);
    }
    if (!CONSTANTS.has(name.toUpperCase())) {
      unknown ??= name;
    }
    return token;
  });
  return unknown === undefined ? { stored: `=${stored}` } : { unknown };
}

/** A stored formula with the names of columns instead of references. */
export function displayedCalculation(stored: string, columns: readonly PivotColumn[]): string {
  // A longer reference may contain a shorter one: `Sheet1!$A:$AB` contains `$A:$A`.
  const byLength = columns.map((column) => ({ reference: column.reference.slice(1), name: quotedName(column.name) }));
  byLength.sort((a, b) => b.reference.length - a.reference.length);
  let displayed = "";
  for (let at = 0; at < stored.length; ) {
    const text = /^"(?:[^"]|"")*"/.exec(stored.slice(at))?.[0];
    const found = byLength.find(
      ({ reference }) => stored.startsWith(reference, at) && stored[at - 1] !== "!" && !/[A-Z0-9]/i.test(stored[at + reference.length] ?? ""),
    );
    displayed += text ?? found?.name ?? stored[at] ?? "";
    at += text?.length ?? found?.reference.length ?? 1;
  }
  return displayed;
}

function quotedName(name: string): string {
  return PLAIN.test(name) && !CONSTANTS.has(name.toUpperCase()) ? name : `'${name.replaceAll("'", "''")}'`;
}

/** The value fields with a new calculated field, whose name no other one has. */
export function withCalculatedField(item: ItemDetails): ItemValue[] {
  const fields = fieldsOf(item, "values");
  const names = new Set(fields.map((field) => field["name"]));
  let number = 1;
  while (names.has(t("Calculated field {number}", { number }))) {
    number += 1;
  }
  return [...fields.map((field) => ({ ...field })), { name: t("Calculated field {number}", { number }), formula: "=0" }];
}
