/** The types of the columns of a Parquet file, by its physical and logical types. */

import { type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from "hyparquet";
import { isListLike, isMapLike } from "hyparquet/src/schema.js";
import type { ValueType } from "./value-types.ts";

/** The units of time of the format, per second. */
const PER_SECOND = { MILLIS: 1_000, MICROS: 1_000_000, NANOS: 1_000_000_000 } as const;

/**
 * The types of the columns. Removes from `metadata` the logical types that hyparquet would convert
 * with a loss (decimals to floating point numbers, microseconds to milliseconds) or refuse: their
 * values are then read as they are stored.
 */
export function columnTypes(metadata: FileMetaData): readonly ValueType[] {
  return parquetSchema(metadata).children.map((child) => typeOf(child, false));
}

/** The type of a node; `isItem` when it is repeated as the item of a list. */
function typeOf(node: SchemaTree, isItem: boolean): ValueType {
  const type = node.children.length === 0 ? leafType(node.element) : groupType(node);
  return node.element.repetition_type === "REPEATED" && !isItem ? { kind: "list", item: type } : type;
}

function groupType(node: SchemaTree): ValueType {
  if (node.element.logical_type?.type === "VARIANT") {
    return { kind: "any" };
  }
  const [repeated] = node.children;
  if (repeated && isListLike(node)) {
    // A list of three levels, or one of two levels as old programs write it.
    const [element] = repeated.children;
    return { kind: "list", item: element && repeated.children.length === 1 ? typeOf(element, false) : typeOf(repeated, true) };
  }
  const [key, value] = repeated?.children ?? [];
  if (key && value && isMapLike(node)) {
    return { kind: "map", key: typeOf(key, false), value: typeOf(value, false) };
  }
  return { kind: "struct", fields: node.children.map((child) => ({ name: child.element.name, type: typeOf(child, false) })) };
}

function leafType(element: SchemaElement): ValueType {
  const { logical_type: logical, converted_type: converted } = element;
  const stored = (type: ValueType): ValueType => {
    delete element.logical_type;
    delete element.converted_type;
    return type;
  };
  switch (logical?.type) {
    case "DECIMAL":
      return stored({ kind: "decimal", scale: logical.scale });
    case "DATE":
      return stored({ kind: "date", perDay: 1 });
    case "TIMESTAMP":
      return stored({ kind: "timestamp", perSecond: PER_SECOND[logical.unit], isUtc: logical.isAdjustedToUTC });
    case "TIME":
      return stored({ kind: "time", perSecond: PER_SECOND[logical.unit] });
    case "NULL":
      return { kind: "empty" };
    case "STRING":
    case "JSON":
    case "UUID":
      return { kind: "text" };
    case "FLOAT16":
    case "INTEGER":
      return { kind: "number" };
    case "GEOMETRY":
    case "GEOGRAPHY":
      return { kind: "any" };
    default:
      break;
  }
  switch (converted) {
    case "DECIMAL":
      return stored({ kind: "decimal", scale: element.scale ?? 0 });
    case "DATE":
      return stored({ kind: "date", perDay: 1 });
    // The older types do not tell times of a zone from others; pyarrow takes them as without one, too.
    case "TIMESTAMP_MILLIS":
      return stored({ kind: "timestamp", perSecond: PER_SECOND.MILLIS, isUtc: false });
    case "TIMESTAMP_MICROS":
      return stored({ kind: "timestamp", perSecond: PER_SECOND.MICROS, isUtc: false });
    case "TIME_MILLIS":
      return stored({ kind: "time", perSecond: PER_SECOND.MILLIS });
    case "TIME_MICROS":
      return stored({ kind: "time", perSecond: PER_SECOND.MICROS });
    case "INTERVAL":
      return stored({ kind: "interval", form: "parquet" });
    case "BSON":
      return stored({ kind: "bytes" });
    case "ENUM":
      element.converted_type = "UTF8";
      return { kind: "text" };
    case "UTF8":
    case "JSON":
      return { kind: "text" };
    default:
      break;
  }
  switch (element.type) {
    case "BOOLEAN":
      return { kind: "boolean" };
    case "INT96":
      return { kind: "timestamp", perSecond: PER_SECOND.NANOS, isUtc: false };
    case "BYTE_ARRAY":
    case "FIXED_LEN_BYTE_ARRAY":
      return { kind: "bytes" };
    default:
      return { kind: "number" };
  }
}
