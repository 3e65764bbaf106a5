/**
 * What a page and the workbook in its frame say to each other.
 *
 * The frame says hello to its parent; the parent answers with one end of a channel, and everything else goes through
 * that: nobody else can listen or speak. `docs/embedding.md` is for those who write the page.
 */

export const VERSION = 1;
export const HELLO = "quadrille:hello";
export const CONNECT = "quadrille:connect";

/** Cells that one `change` tells; of more only the first are. */
export const CHANGED_CELLS_MAX = 2_000;
/** Cells of one reading and of one writing. */
export const CELLS_READ_MAX = 50_000;
export const CELLS_WRITTEN_MAX = 10_000;

export type Value = string | number | boolean | null;

/** One cell as the host hears of it. */
export interface HostCell {
  /** As the cell shows it. */
  readonly text: string;
  /** `null` when blank; errors are texts such as `#DIV/0!`. */
  readonly value: Value;
  /** With `=`, in English; absent when there is none. */
  readonly formula?: string;
}

export interface HostCells {
  readonly sheet: string;
  /** Of the cells that are told: `B2:C9`. */
  readonly range: string;
  readonly cells: readonly (readonly HostCell[])[];
  /** There were more than are told. */
  readonly isCutShort: boolean;
}

/** With `id` an answer is wanted. */
export type ToFrame =
  | { readonly do: "get"; readonly id: number; readonly sheet?: string; readonly range: string }
  | { readonly do: "set"; readonly id: number; readonly sheet?: string; readonly at: string; readonly cells: readonly (readonly Value[])[] }
  | { readonly do: "select"; readonly id: number; readonly sheet?: string; readonly range?: string }
  | { readonly do: "sheets"; readonly id: number }
  | { readonly do: "theme"; readonly theme: string | null };

export interface ReadyDetail {
  readonly sheets: readonly string[];
  /** What the server lets this visitor do, not what the page asked for. */
  readonly mayEdit: boolean;
}

export interface SelectDetail {
  readonly sheet: string;
  readonly range: string;
}

export interface StatusDetail {
  readonly connection: "connecting" | "open" | "lost" | "refused";
  /** Changes that the server does not have yet. */
  readonly unsaved: number;
  readonly mayEdit: boolean;
}

export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
}

export type FromFrame =
  | { readonly event: "ready"; readonly detail: ReadyDetail }
  | { readonly event: "change"; readonly detail: { readonly changes: readonly HostCells[] } }
  | { readonly event: "select"; readonly detail: SelectDetail }
  | { readonly event: "status"; readonly detail: StatusDetail }
  | { readonly event: "error"; readonly detail: ErrorDetail }
  /** Pixels that the sheet in use takes, with everything round it. */
  | { readonly event: "size"; readonly detail: { readonly width: number; readonly height: number } }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: string };
