/**
 * The types of columns in Parquet and Arrow files, as far as cells tell them apart. The readers
 * of both formats describe their columns with these types and return the values in the stated form.
 */

/** The parts of an interval, which has no fixed length. */
export type IntervalForm =
  /** Months, as a number. */
  | "months"
  /** Days and milliseconds, as two numbers. */
  | "daysMs"
  /** Months, days and nanoseconds, as three numbers. */
  | "monthsDaysNs"
  /** Months, days and milliseconds, as three 32-bit integers in bytes. */
  | "parquet";

/** A field of a struct. */
export interface FieldType {
  readonly name: string;
  readonly type: ValueType;
}

/** A type; `null` and `undefined` are missing values of every type. */
export type ValueType =
  /** Only missing values. */
  | { readonly kind: "empty" }
  | { readonly kind: "boolean" }
  /** Integers and floating point numbers, as `number` or `bigint`. */
  | { readonly kind: "number" }
  /** The digits without a decimal point as a number, a `bigint` or big-endian bytes, of which `scale` are decimals. */
  | { readonly kind: "decimal"; readonly scale: number }
  | { readonly kind: "text" }
  | { readonly kind: "bytes" }
  /** The time since 1970-01-01 in units of which a day has `perDay`. */
  | { readonly kind: "date"; readonly perDay: number }
  /** The time since 1970-01-01 00:00 in units; with `isUtc` in UTC, otherwise without a time zone. */
  | { readonly kind: "timestamp"; readonly perSecond: number; readonly isUtc: boolean }
  /** The time since midnight in units. */
  | { readonly kind: "time"; readonly perSecond: number }
  | { readonly kind: "duration"; readonly perSecond: number }
  | { readonly kind: "interval"; readonly form: IntervalForm }
  | { readonly kind: "list"; readonly item: ValueType }
  | { readonly kind: "struct"; readonly fields: readonly FieldType[] }
  /** Pairs of keys and values, or an object whose keys are texts. */
  | { readonly kind: "map"; readonly key: ValueType; readonly value: ValueType }
  /** Values that are known only one by one. */
  | { readonly kind: "any" };

/** The values of one column in a batch. */
export interface Values {
  at(row: number): unknown;
}

/** Consecutive rows of a table. */
export interface Batch {
  readonly rowCount: number;
  /** In the order of the columns. */
  readonly columns: readonly Values[];
}

/** A table that is read in batches. */
export interface Table {
  readonly columns: readonly FieldType[];
  readonly rowCount: number;
  /** A number of cells with content that the table has at least; 0 if the file does not say. */
  readonly cellCountMin: number;
  batches(): AsyncIterable<Batch> | Iterable<Batch>;
}
