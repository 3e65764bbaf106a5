/** What the page and its worker say to each other. Question and answers are the engine's; see `crates/wasm`. */

import type {
  BrokenRule,
  CellDetails,
  CellPosition,
  CellTable,
  ChartSeriesDetails,
  ColumnStatistics,
  ColumnValue,
  FoundCells,
  Explanation,
  ItemDetails,
  NameDetails,
  Notice,
  PageEvent,
  Query,
  RangePosition,
  DisplayedColors,
  Summary,
} from "@quadrille/protocol";
import type { TraceEvent } from "./trace.ts";

export interface OpenMessage {
  readonly type: "open";
  readonly engine: WebAssembly.Module;
  readonly socketUrl: string;
  readonly name: string;
  readonly color: number;
}

export type ToWorker =
  | OpenMessage
  /** Commands, undo, selection, name: passed on to the engine. */
  | { readonly type: "event"; readonly event: PageEvent; readonly pressedMs: number }
  /** The rectangles that are drawn from now on: one, or as many as frozen rows and columns make of it. */
  | { readonly type: "view"; readonly sheet: number; readonly ranges: readonly RangePosition[] }
  /** The newest window is on screen: the worker may send another. */
  | { readonly type: "painted" }
  | { readonly type: "network"; readonly isOnline: boolean }
  /** A frame that the page has written itself, of the chat or of following, for the server as it is. */
  | { readonly type: "frame"; readonly frame: ArrayBuffer }
  /** Record what becomes of transactions, or give what was recorded: answered by `trace`. */
  | { readonly type: "trace"; readonly isOn: boolean }
  | { readonly type: "ask"; readonly id: number; readonly question: Query }
  /** Rectangles of any sheet as they look, for printing and copying; what is drawn stays as it is. */
  | { readonly type: "look"; readonly id: number; readonly sheet: number; readonly ranges: readonly RangePosition[] };

export type FromWorker =
  | { readonly type: "notices"; readonly notices: readonly Notice[] }
  /** One for each rectangle of the view. */
  | { readonly type: "windows"; readonly buffers: readonly ArrayBuffer[] }
  | { readonly type: "shape"; readonly buffer: ArrayBuffer }
  /** A change of the page was carried out, and its effect on the status has been told. */
  | { readonly type: "taken" }
  /** What cells hold may have changed; what comes of it is still being calculated. */
  | { readonly type: "entered" }
  /** Something about the cells changed: figures that were asked for may be out of date. */
  | { readonly type: "changed" }
  | { readonly type: "calculating"; readonly isCalculating: boolean }
  | { readonly type: "connection"; readonly connection: Connection }
  /** A frame that the page reads itself, of the chat or of following. */
  | { readonly type: "frame"; readonly frame: Uint8Array }
  /** Whether every change that the server does not have yet is written down in this browser. */
  | { readonly type: "kept"; readonly isPersisted: boolean }
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  /** The recording that has just ended. */
  | { readonly type: "trace"; readonly events: readonly TraceEvent[] }
  | { readonly type: "looked"; readonly id: number; readonly shape: ArrayBuffer; readonly buffers: readonly ArrayBuffer[] }
  /** The engine or its loading failed; nothing more will come. */
  | { readonly type: "stopped"; readonly message: string };

/** Whether an event may change the workbook; the worker answers such an event with `taken`. */
export function isChange(event: PageEvent): boolean {
  return event.type === "command" || event.type === "replace" || event.type === "undo" || event.type === "redo";
}

/** The socket as the page should speak of it. */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "open" }
  /** Lost; the next attempt comes at `retryAtMs` (Unix time). `code` is the server's reason, if it gave one. */
  | { readonly state: "lost"; readonly retryAtMs: number; readonly code: number | null }
  /** The server does not want this connection; trying again is no use. */
  | { readonly state: "refused"; readonly code: number; readonly reason: string };

/** The answer that belongs to each question. */
export interface QueryResults {
  readonly cell: CellDetails;
  readonly summarize: Summary;
  readonly cells: CellTable;
  readonly edge: CellPosition;
  readonly used: RangePosition;
  readonly region: RangePosition;
  readonly longestTexts: readonly string[];
  readonly items: readonly ItemDetails[];
  readonly chartSeries: readonly ChartSeriesDetails[];
  readonly find: FoundCells;
  readonly names: readonly NameDetails[];
  readonly preview: string;
  readonly duplicates: number;
  readonly untrimmed: number;
  readonly columnValues: readonly ColumnValue[];
  readonly columnStatistics: ColumnStatistics;
  readonly columnColors: DisplayedColors;
  readonly invalidCells: FoundCells;
  readonly explain: Explanation | null;
  readonly similar: string | null;
  readonly brokenRule: BrokenRule | null;
  readonly picture: string | null;
}
