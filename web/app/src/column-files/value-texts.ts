/** Values of Parquet and Arrow files as texts: those that numbers cannot hold, and JSON of nested ones. */

import type { IntervalForm, ValueType } from "./value-types.ts";

const DAY_MS = 86_400_000;
/** The farthest time from 1970 that `Date` can express. */
const DATE_MS_MAX = 8.64e15;

/** The digits of a decimal number: from a number, a `bigint`, or bytes in two's complement with the highest first. */
export function digitsOf(value: unknown): bigint {
  if (value instanceof Uint8Array) {
    let digits = 0n;
    for (const byte of value) {
      digits = (digits << 8n) | BigInt(byte);
    }
    return BigInt.asIntN(value.length * 8, digits);
  }
  return BigInt(value as number | bigint);
}

/** A decimal number of which the last `scale` digits are decimals. */
export function decimalText(digits: bigint, scale: number): string {
  if (scale <= 0) {
    return String(digits * 10n ** BigInt(-scale));
  }
  const [sign, text] = digits < 0n ? ["-", String(-digits)] : ["", String(digits)];
  const padded = text.padStart(scale + 1, "0");
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes as hexadecimal digits. */
export function bytesText(value: unknown): string {
  return Array.from(value as Uint8Array, (byte) => HEX[byte]).join("");
}

/** A date in ISO 8601. */
export function dateText(value: unknown, perDay: number): string {
  const day = Math.floor(Number(value) / perDay);
  return Math.abs(day * DAY_MS) <= DATE_MS_MAX ? isoStart(day * DAY_MS, "T") : String(value);
}

/** A date and time in ISO 8601 with a blank instead of `T`, or in JSON with it. */
export function timestampText(value: unknown, perSecond: number, isJson: boolean, suffix = ""): string {
  const [seconds, fraction] = parts(value, perSecond);
  const ms = Number(seconds) * 1_000;
  if (Math.abs(ms) > DATE_MS_MAX) {
    return String(value);
  }
  const [date, time] = [isoStart(ms, "T"), isoStart(ms, ".").split("T")[1] ?? ""];
  return `${date}${isJson ? "T" : " "}${time}${fraction}${suffix}`;
}

/** A time of day in ISO 8601. */
export function timeText(value: unknown, perSecond: number): string {
  const [seconds, fraction] = parts(value, perSecond);
  const two = (part: bigint): string => String(part).padStart(2, "0");
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction}`;
}

/** A duration in ISO 8601, in seconds. */
export function durationText(value: unknown, perSecond: number): string {
  const isNegative = Number(value) < 0;
  const [seconds, fraction] = parts(isNegative ? -(value as number | bigint) : value, perSecond);
  return `${isNegative ? "-" : ""}PT${seconds}${fraction}S`;
}

/** An interval in ISO 8601, such as `P1M2DT0.5S`. */
export function intervalText(value: unknown, form: IntervalForm): string {
  const [months, days, ns] = intervalParts(value, form);
  const time = ns === 0 ? "" : `T${decimalText(BigInt(Math.round(ns)), 9).replace(/\.?0+$/, "")}S`;
  const text = `${months === 0 ? "" : `${months}M`}${days === 0 ? "" : `${days}D`}${time}`;
  return text === "" ? "PT0S" : `P${text}`;
}

function intervalParts(value: unknown, form: IntervalForm): readonly [months: number, days: number, ns: number] {
  switch (form) {
    case "months":
      return [Number(value), 0, 0];
    case "daysMs": {
      const [days = 0, ms = 0] = value as ArrayLike<number> & Iterable<number>;
      return [0, days, ms * 1e6];
    }
    case "monthsDaysNs": {
      const [months = 0, days = 0, ns = 0] = value as ArrayLike<number> & Iterable<number>;
      return [months, days, ns];
    }
    case "parquet": {
      const { buffer, byteOffset, byteLength } = value as Uint8Array;
      const view = new DataView(buffer, byteOffset, byteLength);
      return [view.getUint32(0, true), view.getUint32(4, true), view.getUint32(8, true) * 1e6];
    }
  }
}

/** A value in JSON. Numbers have all their digits. */
export function jsonText(value: unknown, type: ValueType): string {
  if (value === null || value === undefined) {
    return "null";
  }
  switch (type.kind) {
    case "empty":
      return "null";
    case "boolean":
      return String(Boolean(value));
    case "number":
      return typeof value === "bigint" || Number.isFinite(Number(value)) ? String(value) : JSON.stringify(String(value));
    case "decimal":
      return decimalText(digitsOf(value), type.scale);
    case "text":
    case "bytes":
    case "date":
    case "timestamp":
    case "time":
    case "duration":
    case "interval":
      return JSON.stringify(scalarText(value, type));
    case "list":
      return `[${Array.from(value as ArrayLike<unknown>, (item) => jsonText(item, type.item)).join(",")}]`;
    case "struct": {
      const struct = value as Readonly<Record<string, unknown>>;
      return `{${type.fields.map((field) => `${JSON.stringify(field.name)}:${jsonText(struct[field.name], field.type)}`).join(",")}}`;
    }
    case "map": {
      const entries = Array.isArray(value) ? (value as [unknown, unknown][]) : Object.entries(value);
      return `{${entries.map(([key, item]) => `${keyText(key, type.key)}:${jsonText(item, type.value)}`).join(",")}}`;
    }
    case "any":
      return anyText(value);
  }
}

/** The text of a value that is a text in JSON. */
function scalarText(value: unknown, type: ValueType): string {
  switch (type.kind) {
    case "bytes":
      return bytesText(value);
    case "date":
      return dateText(value, type.perDay);
    case "timestamp":
      return timestampText(value, type.perSecond, true, type.isUtc ? "Z" : "");
    case "time":
      return timeText(value, type.perSecond);
    case "duration":
      return durationText(value, type.perSecond);
    case "interval":
      return intervalText(value, type.form);
    default:
      return String(value);
  }
}

/** A key of a map as a JSON text. A reader that has only texts as keys gives numbers as texts. */
function keyText(key: unknown, type: ValueType): string {
  const isNumberAsText = typeof key === "string" && type.kind !== "text" && /^-?\d+$/.test(key);
  const text = jsonText(isNumberAsText ? BigInt(key) : key, typeof key === "string" && !isNumberAsText ? { kind: "text" } : type);
  return text.startsWith('"') ? text : JSON.stringify(text);
}

/** A value of a type that the file does not describe, such as a variant. */
function anyText(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") {
      return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
    }
    return item instanceof Uint8Array ? bytesText(item) : ArrayBuffer.isView(item) ? Array.from(item as Float64Array) : item;
  });
  return text ?? "null";
}

/** Whole seconds, and the text of the fraction with its point; empty without a fraction. */
function parts(value: unknown, perSecond: number): readonly [seconds: bigint, fraction: string] {
  // Fractions of a unit come from the conversion of microseconds and nanoseconds to milliseconds.
  const [units, unit] = typeof value === "bigint" ? [value, BigInt(perSecond)] : [BigInt(Math.round(Number(value) * 1_000)), BigInt(perSecond) * 1_000n];
  const rest = ((units % unit) + unit) % unit;
  const digits = String(unit).length - 1;
  return [(units - rest) / unit, rest === 0n ? "" : `.${String(rest).padStart(digits, "0").replace(/0+$/, "")}`];
}

/** The time `ms` in ISO 8601 up to the first `end`. */
function isoStart(ms: number, end: string): string {
  const iso = new Date(ms).toISOString();
  return iso.slice(0, iso.indexOf(end));
}
