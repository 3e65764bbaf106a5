/** The types of the columns of Arrow data. */

import type { DataType, Field } from "@uwdata/flechette";
import { IntervalUnit, TimeUnit, Type } from "@uwdata/flechette/src/constants.js";
import { decodeIPC } from "@uwdata/flechette/src/decode/decode-ipc.js";
import type { FieldType, IntervalForm, ValueType } from "./value-types.ts";

/** How flechette returns values: exactly, except times, which become milliseconds. */
export const EXACT_VALUES = { useBigInt: true, useDecimalInt: true } as const;

/** What flechette returns times as. */
const MS_PER_SECOND = 1_000;
const MS_PER_DAY = 86_400_000;

/** The type of a field. */
export function fieldType({ name, type }: Field): FieldType {
  return { name, type: valueType(type) };
}

function valueType(type: DataType): ValueType {
  switch (type.typeId) {
    case Type.Null:
    case Type.NONE:
      return { kind: "empty" };
    case Type.Bool:
      return { kind: "boolean" };
    case Type.Int:
    case Type.Float:
      return { kind: "number" };
    case Type.Decimal:
      return { kind: "decimal", scale: type.scale };
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return { kind: "text" };
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return { kind: "bytes" };
    case Type.Date:
      return { kind: "date", perDay: MS_PER_DAY };
    case Type.Timestamp:
      return { kind: "timestamp", perSecond: MS_PER_SECOND, isUtc: type.timezone !== null && type.timezone !== "" };
    case Type.Time:
      return { kind: "time", perSecond: perSecond(type.unit) };
    case Type.Duration:
      return { kind: "duration", perSecond: perSecond(type.unit) };
    case Type.Interval:
      return { kind: "interval", form: intervalForm(type.unit) };
    case Type.Dictionary:
      return valueType(type.dictionary);
    case Type.RunEndEncoded: {
      const [, values] = type.children;
      return valueType(values.type);
    }
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList: {
      const [item] = type.children;
      return { kind: "list", item: item ? valueType(item.type) : { kind: "any" } };
    }
    case Type.Struct:
      return { kind: "struct", fields: type.children.map(fieldType) };
    case Type.Map: {
      const [entries] = type.children;
      const pair = entries.type;
      const [key, value] = pair.typeId === Type.Struct ? pair.children : [];
      return key && value ? { kind: "map", key: valueType(key.type), value: valueType(value.type) } : { kind: "any" };
    }
    case Type.Union:
      return { kind: "any" };
  }
}

function perSecond(unit: TimeUnit): number {
  return { [TimeUnit.SECOND]: 1, [TimeUnit.MILLISECOND]: 1e3, [TimeUnit.MICROSECOND]: 1e6, [TimeUnit.NANOSECOND]: 1e9 }[unit];
}

type TimeUnit = (typeof TimeUnit)[keyof typeof TimeUnit];

function intervalForm(unit: (typeof IntervalUnit)[keyof typeof IntervalUnit]): IntervalForm {
  return unit === IntervalUnit.YEAR_MONTH ? "months" : unit === IntervalUnit.DAY_TIME ? "daysMs" : "monthsDaysNs";
}

/** The fields of the schema that programs with Arrow store in Parquet files; none if it cannot be read. */
export function arrowSchemaTypes(base64: string | undefined): readonly FieldType[] {
  try {
    const bytes = Uint8Array.from(atob(base64 ?? ""), (letter) => letter.charCodeAt(0));
    return bytes.length === 0 ? [] : (decodeIPC(bytes).schema?.fields ?? []).map(fieldType);
  } catch (error) {
    // The columns are complete without it.
    console.warn("quadrille: the Arrow schema of a Parquet file cannot be read:", error);
    return [];
  }
}
