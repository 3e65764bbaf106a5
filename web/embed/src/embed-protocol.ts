/**
 * Messages between a page and the workbook embedded in it.
 *
 * The frame sends `HELLO` to its parent, which replies with `CONNECT` and one port of a
 * `MessageChannel`. All other messages use that channel, so no other window can read or send any.
 * See `docs/embedding.md`.
 */

/** Version of these messages. */
export const VERSION = 1;
export const HELLO = "quadrille:hello";
export const CONNECT = "quadrille:connect";

/** Maximum number of cells in one `change` event; further cells are left out. */
export const CHANGED_CELLS_MAX = 2_000;
/** Maximum number of cells of one `get` and of one `set`. */
export const CELLS_READ_MAX = 50_000;
export const CELLS_WRITTEN_MAX = 10_000;

/** A cell value. */
export type Value = string | number | boolean | null;

/** One cell. */
export interface HostCell {
  /** Displayed text. */
  readonly text: string;
  /** `null` if blank; errors are strings such as `#DIV/0!`. */
  readonly value: Value;
  /** Formula with `=`, in English; absent if there is none. */
  readonly formula?: string;
}

/** The cells of a range. */
export interface HostCells {
  readonly sheet: string;
  /** Range of the returned cells, such as `B2:C9`. */
  readonly range: string;
  readonly cells: readonly (readonly HostCell[])[];
  /** Whether cells were left out because of the limits. */
  readonly isCutShort: boolean;
}

/** Messages to the frame. Those with an `id` get a reply. */
export type ToFrame =
  | { readonly do: "get"; readonly id: number; readonly sheet?: string; readonly range: string }
  | { readonly do: "set"; readonly id: number; readonly sheet?: string; readonly at: string; readonly cells: readonly (readonly Value[])[] }
  | { readonly do: "select"; readonly id: number; readonly sheet?: string; readonly range?: string }
  | { readonly do: "sheets"; readonly id: number }
  | { readonly do: "theme"; readonly theme: string | null };

/** Detail of event `ready`. */
export interface ReadyDetail {
  readonly sheets: readonly string[];
  /** Permission granted by the server, which may be less than the requested mode. */
  readonly mayEdit: boolean;
}

/** Detail of event `select`. */
export interface SelectDetail {
  readonly sheet: string;
  readonly range: string;
}

/** Detail of event `status`. */
export interface StatusDetail {
  readonly connection: "connecting" | "open" | "lost" | "refused";
  /** Number of changes that the server has not acknowledged. */
  readonly unsaved: number;
  readonly mayEdit: boolean;
}

/** Detail of event `error`. */
export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
}

/** Messages from the frame: events, and replies to requests. */
export type FromFrame =
  | { readonly event: "ready"; readonly detail: ReadyDetail }
  | { readonly event: "change"; readonly detail: { readonly changes: readonly HostCells[] } }
  | { readonly event: "select"; readonly detail: SelectDetail }
  | { readonly event: "status"; readonly detail: StatusDetail }
  | { readonly event: "error"; readonly detail: ErrorDetail }
  /** Size of the used range with headers and toolbars, in pixels. */
  | { readonly event: "size"; readonly detail: { readonly width: number; readonly height: number } }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: string };
