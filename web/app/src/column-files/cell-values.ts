/** Converts values of Parquet and Arrow files to contents of cells. */

import { bytesText, dateText, decimalText, digitsOf, intervalText, jsonText, timestampText } from "./value-texts.ts";
import type { ValueType } from "./value-types.ts";

/** The content of a cell. */
export type Cell = number | string | boolean | undefined;

/** What is different in a workbook, so that people are told. */
export type Change =
  /** Integers and decimals that a number of a cell cannot hold exactly are texts. */
  | "digits"
  /** Values that are not finite are texts. */
  | "notFinite"
  /** Dates before 1900 or after 9999 are texts. */
  | "dates"
  /** Times with a time zone are in UTC. */
  | "zones"
  /** Bytes are hexadecimal digits. */
  | "bytes"
  /** Lists and structs are JSON. */
  | "nested";

/** Notes about one column, taken while its cells are converted. */
export interface ColumnNotes {
  readonly changes: Set<Change>;
  /** Whether a time has a fraction of a second, so that the format shows it. */
  hasFraction: boolean;
}

/** Significant digits that a number of a cell has exactly. */
const DIGITS_MAX = 15;
/** Decimals of a number format. */
const DECIMALS_MAX = 30;
const DAY_SECONDS = 86_400;
/** Serial number of 1970-01-01 in the 1900 date system. */
const EPOCH_SERIAL = 25_569;
/** Serial number of 1900-03-01; those before are less by one, since 1900-02-29 counts as a day. */
const MARCH_1900 = 61;
/** Serial number of 10000-01-01. */
const SERIAL_END = 2_958_466;

/** Returns the function that converts the values of a column; `notes` collects what it changes. */
export function converter(type: ValueType, notes: ColumnNotes): (value: unknown) => Cell {
  const convert = converterOfPresent(type, notes);
  return (value) => (value === null || value === undefined ? undefined : convert(value));
}

function converterOfPresent(type: ValueType, notes: ColumnNotes): (value: unknown) => Cell {
  const change = (kind: Change, text: string): string => {
    notes.changes.add(kind);
    return text;
  };
  switch (type.kind) {
    case "empty":
      return () => undefined;
    case "boolean":
      return Boolean;
    case "number":
      return (value) => {
        if (typeof value === "bigint") {
          const number = Number(value);
          return Number.isSafeInteger(number) ? number : change("digits", String(value));
        }
        const number = Number(value);
        return Number.isFinite(number) ? number : change("notFinite", String(number));
      };
    case "decimal":
      return (value) => {
        const text = decimalText(digitsOf(value), type.scale);
        return significantDigits(text) <= DIGITS_MAX ? Number(text) : change("digits", text);
      };
    case "text":
      return String;
    case "bytes":
      return (value) => change("bytes", bytesText(value));
    case "date":
      return (value) => serialOf(Math.floor(Number(value) / type.perDay)) ?? change("dates", dateText(value, type.perDay));
    case "timestamp":
      if (type.isUtc) {
        notes.changes.add("zones");
      }
      return (value) => {
        const unitsPerDay = type.perSecond * DAY_SECONDS;
        const units = Number(value);
        const days = Math.floor(units / unitsPerDay);
        const serial = serialOf(days);
        if (serial === undefined) {
          return change("dates", timestampText(value, type.perSecond, false));
        }
        noteFraction(value, type.perSecond, notes);
        // The rest of a `bigint` is exact.
        const rest = typeof value === "bigint" ? Number(value - BigInt(days) * BigInt(unitsPerDay)) : units - days * unitsPerDay;
        return serial + rest / unitsPerDay;
      };
    case "time":
    case "duration":
      return (value) => {
        noteFraction(value, type.perSecond, notes);
        return Number(value) / (type.perSecond * DAY_SECONDS);
      };
    case "interval":
      return (value) => intervalText(value, type.form);
    case "list":
    case "struct":
    case "map":
    case "any":
      return (value) => change("nested", jsonText(value, type));
  }
}

/** The number format of a column; `undefined` for the default. */
export function numberFormat(type: ValueType, notes: ColumnNotes): string | undefined {
  const fraction = notes.hasFraction ? ".000" : "";
  switch (type.kind) {
    case "decimal":
      return type.scale > 0 && type.scale <= DECIMALS_MAX ? `0.${"0".repeat(type.scale)}` : undefined;
    case "date":
      return "yyyy-mm-dd";
    case "timestamp":
      return `yyyy-mm-dd hh:mm:ss${fraction}`;
    case "time":
      return `hh:mm:ss${fraction}`;
    case "duration":
      return `[h]:mm:ss${fraction}`;
    default:
      return undefined;
  }
}

/** The width of a column in characters, if the default is too narrow for its format. */
export function columnWidth(type: ValueType): number | undefined {
  switch (type.kind) {
    case "timestamp":
      return type.perSecond > 1 ? 23 : 19;
    case "decimal":
      // With digits before the point; the default width has room for about twelve.
      return type.scale > 4 && type.scale <= DECIMALS_MAX ? type.scale + 8 : undefined;
    default:
      return undefined;
  }
}

/** The serial number of a day that is counted from 1970-01-01, if a cell can display it as a date. */
function serialOf(day: number): number | undefined {
  const serial = day + EPOCH_SERIAL;
  const counted = serial < MARCH_1900 ? serial - 1 : serial;
  return counted >= 1 && counted < SERIAL_END ? counted : undefined;
}

function noteFraction(value: unknown, perSecond: number, notes: ColumnNotes): void {
  if (!notes.hasFraction && perSecond > 1) {
    notes.hasFraction = typeof value === "bigint" ? value % BigInt(perSecond) !== 0n : Number(value) % perSecond !== 0;
  }
}

function significantDigits(text: string): number {
  const digits = text.replace(/[-.]/g, "").replace(/^0+/, "");
  return digits.replace(/0+$/, "").length;
}
