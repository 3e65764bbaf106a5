/**
 * Messages between the main thread and the worker. Queries and their results are defined in
 * `crates/wasm`.
 */

import type {
  BrokenRule,
  CellDetails,
  CellPosition,
  CellTable,
  ChartSeriesDetails,
  ClientEvent,
  ColumnStatistics,
  ColumnValue,
  DisplayedColors,
  EvaluatedFormula,
  Explanation,
  FormulaTrace,
  FoundCells,
  GoalSeekResult,
  ItemDetails,
  NameDetails,
  Notice,
  PivotLabels,
  PivotSourceRows,
  PivotTableDetails,
  SlicerDetails,
  Query,
  RangePosition,
  RowOrder,
  Summary,
  WhatIfValue,
} from "@quadrille/protocol";
import type { TraceEvent } from "./trace.ts";

/** The first message: opens a room. */
export interface OpenMessage {
  readonly type: "open";
  readonly engine: WebAssembly.Module;
  readonly socketUrl: string;
  /** An owner key, share link or token, sent when the connection is opened. */
  readonly credential: string | undefined;
  readonly name: string;
  readonly color: number;
}

/** Cells of a view: the visible rows of a range, or these rows of it in their order. */
export interface ViewPart extends RangePosition {
  readonly rows?: readonly number[];
}

/** Messages to the worker. */
export type ToWorker =
  | OpenMessage
  /**
   * Commands, undo, selection, name: passed to the engine. `pressedMs`: time of the input event.
   */
  | { readonly type: "event"; readonly event: ClientEvent; readonly pressedMs: number }
  /** The ranges to draw from now on, one per pane. */
  | { readonly type: "view"; readonly sheet: number; readonly ranges: readonly ViewPart[] }
  /** The latest windows were painted; the worker may send the next. */
  | { readonly type: "painted" }
  | { readonly type: "network"; readonly isOnline: boolean }
  /** Connects again with another credential, even after the server has refused the connection. */
  | { readonly type: "credential"; readonly credential: string | undefined }
  /** A chat or following frame, to be sent unchanged. */
  | { readonly type: "frame"; readonly frame: ArrayBuffer }
  /** Starts a trace recording, or ends it; the worker then replies with `trace`. */
  | { readonly type: "trace"; readonly isOn: boolean }
  | { readonly type: "query"; readonly id: number; readonly query: Query }
  /** Requests windows of any sheet, for printing and copying, without changing the drawn ranges. */
  | { readonly type: "queryView"; readonly id: number; readonly sheet: number; readonly ranges: readonly RangePosition[] };

/** Messages from the worker. */
export type FromWorker =
  | { readonly type: "notices"; readonly notices: readonly Notice[] }
  /** One window per range of the view. */
  | { readonly type: "windows"; readonly buffers: readonly ArrayBuffer[] }
  | { readonly type: "shape"; readonly buffer: ArrayBuffer }
  /** A change was applied, and its notices have been posted. */
  | { readonly type: "applied" }
  /** Cell contents may have changed, and the calculation has not finished. */
  | { readonly type: "inputsChanged" }
  /** Cells changed: earlier query results may be out of date. */
  | { readonly type: "changed" }
  | { readonly type: "calculating"; readonly isCalculating: boolean }
  | { readonly type: "connection"; readonly connection: Connection }
  /** A chat or following frame. */
  | { readonly type: "frame"; readonly frame: Uint8Array }
  /** Whether all changes that the server has not acknowledged are stored in this browser. */
  | { readonly type: "persisted"; readonly isPersisted: boolean }
  | { readonly type: "result"; readonly id: number; readonly result: unknown }
  /** The recording that has ended. */
  | { readonly type: "trace"; readonly events: readonly TraceEvent[] }
  | { readonly type: "viewData"; readonly id: number; readonly shape: ArrayBuffer; readonly buffers: readonly ArrayBuffer[] }
  /** The engine failed or could not be loaded; no more messages follow. */
  | { readonly type: "stopped"; readonly message: string };

/** Whether an event may change the workbook. The worker answers such events with `applied`. */
export function isChange(event: ClientEvent): boolean {
  return event.type === "command" || event.type === "replace" || event.type === "undo" || event.type === "redo";
}

/** State of the connection. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  /**
   * Disconnected; the next attempt is at `retryAtMs` (Unix time). `code` is the server's close
   * code, if any.
   */
  | { readonly state: "lost"; readonly retryAtMs: number; readonly code: number | null }
  /** The server refused the connection; there are no more attempts. */
  | { readonly state: "refused"; readonly code: number; readonly reason: string };

/** Result type of each query. */
export interface QueryResults {
  readonly cell: CellDetails;
  readonly summarize: Summary;
  readonly cells: CellTable;
  readonly edge: CellPosition;
  readonly used: RangePosition;
  readonly region: RangePosition;
  readonly longestTexts: readonly string[];
  readonly rowOrder: RowOrder | null;
  readonly items: readonly ItemDetails[];
  readonly chartSeries: readonly ChartSeriesDetails[];
  readonly pivotTable: PivotTableDetails | null;
  readonly slicer: SlicerDetails | null;
  readonly pivotTableAt: number | null;
  readonly pivotLabels: PivotLabels | null;
  readonly pivotSourceRows: PivotSourceRows | null;
  readonly find: FoundCells;
  readonly names: readonly NameDetails[];
  readonly preview: string;
  readonly duplicates: number;
  readonly untrimmed: number;
  readonly columnValues: readonly ColumnValue[];
  readonly columnStatistics: ColumnStatistics;
  readonly columnColors: DisplayedColors;
  readonly goalSeek: GoalSeekResult;
  readonly evaluateFormula: EvaluatedFormula | null;
  readonly whatIf: readonly (readonly WhatIfValue[])[] | null;
  readonly typedValues: readonly (boolean | number | string)[];
  readonly isFormula: boolean;
  readonly invalidCells: FoundCells;
  readonly explain: Explanation | null;
  readonly precedents: FormulaTrace;
  readonly dependents: FormulaTrace;
  readonly similar: string | null;
  readonly brokenRule: BrokenRule | null;
  readonly picture: string | null;
}
