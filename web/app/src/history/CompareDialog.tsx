/** The dialog that shows two moments of the workbook beside each other. */

import { cellName, columnName } from "@quadrille/grid";
import { createEffect, createMemo, createResource, createSignal, For, on, Show } from "solid-js";
import { Icon, Modal } from "../components/index.ts";
import { moment, t } from "../language/index.ts";
import { formulaInLanguage } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import {
  type AlignedLine,
  byAddress,
  type CellDifference,
  compareRevisions,
  shownLines,
  type SheetDifferences,
} from "./comparison.ts";
import { alignment, cellsAt, COLUMNS_MAX, HistoryUnavailable, type PastCell, ROWS_MAX } from "./history.ts";

/** A moment that can be compared; `revision` is `undefined` for now. */
export interface Moment {
  readonly revision: number | undefined;
  readonly label: string;
}

/** Cells of one side, by row and column. */
type Cells = readonly (readonly PastCell[])[];
type Side = "before" | "after";

/** Compares two moments. The dialog begins with `from` and now. */
export function CompareDialog(props: {
  readonly model: WorkbookModel;
  readonly from: number;
  readonly to: number | undefined;
  /** Newest first; the first one is now. */
  readonly moments: readonly Moment[];
  readonly onClose: () => void;
}) {
  const { room } = props.model;
  const [from, setFrom] = createSignal(props.from);
  const [to, setTo] = createSignal(props.to);
  const [chosen, setChosen] = createSignal<string>();
  const [compared] = createResource(
    () => ({ from: from(), to: to() }),
    (pair) => compareRevisions(room, pair.from, pair.to),
  );
  const sheets = (): readonly SheetDifferences[] => (compared.error === undefined ? (compared.latest ?? []) : []);
  const sheet = (): SheetDifferences | undefined => {
    const name = chosen() ?? props.model.sheetName();
    // Without a choice, a sheet that differs.
    const differing = chosen() === undefined ? sheets().find(isDifferent) : undefined;
    const named = sheets().find((listed) => nameOf(listed) === name);
    return named && (chosen() !== undefined || isDifferent(named)) ? named : (differing ?? named ?? sheets()[0]);
  };
  const lines = createMemo(() => {
    const shown = sheet();
    return shown ? shownLines(shown) : { rows: [], columns: [] };
  });
  const [cells] = createResource(
    () => ({ sheet: sheet(), from: from(), to: to() }),
    async (shown): Promise<Record<Side, Cells>> => {
      const readSide = (name: string | null | undefined, revision: number | undefined): Promise<Cells> =>
        name === null || name === undefined
          ? Promise.resolve([])
          : cellsAt(room, revision, { name, rows: ROWS_MAX, columns: COLUMNS_MAX });
      const [before, after] = await Promise.all([
        readSide(shown.sheet?.before, shown.from),
        readSide(shown.sheet?.after, shown.to),
      ]);
      return { before, after };
    },
  );
  const sideCells = (side: Side): Cells => (cells.error === undefined ? (cells.latest?.[side] ?? []) : []);
  const differences = () => sheet()?.cells ?? [];
  const [current, setCurrent] = createSignal<number>();
  createEffect(on(sheet, () => setCurrent(undefined), { defer: true }));
  const step = (by: 1 | -1): void => {
    const count = differences().length;
    const now = current();
    setCurrent(now === undefined ? (by === 1 ? 0 : count - 1) : (now + by + count) % count);
  };
  const shownDifference = (): CellDifference | undefined => {
    const index = current();
    return index === undefined ? undefined : differences()[index];
  };
  const failure = () => compared.error ?? cells.error;
  const panes: Partial<Record<Side, HTMLDivElement>> = {};
  const follow = (side: Side): void => {
    const [moved, other] = [panes[side], panes[side === "before" ? "after" : "before"]];
    if (moved && other && (other.scrollTop !== moved.scrollTop || other.scrollLeft !== moved.scrollLeft)) {
      other.scrollTo(moved.scrollLeft, moved.scrollTop);
    }
  };
  createEffect(
    on(shownDifference, (difference) => {
      for (const side of ["before", "after"] as const) {
        const cell = difference?.[side]?.cell;
        const element = cell === undefined ? undefined : panes[side]?.querySelector(`[data-cell="${cell}"]`);
        element?.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }),
  );
  const later = () => props.moments.filter(({ revision }) => revision === undefined || revision > from());
  const earlier = () => {
    const end = to();
    return props.moments.filter(({ revision }) => revision !== undefined && (end === undefined || revision < end));
  };
  return (
    <Modal isOpen isWide="full" title={t("Compare versions")} onClose={() => props.onClose()}>
      <div class="compare-choices">
        <label class="form-label">
          {t("Earlier version")}
          <select class="field" onChange={(event) => setFrom(Number(event.currentTarget.value))}>
            <For each={earlier()}>
              {({ revision, label }) => <option value={revision} selected={revision === from()}>{label}</option>}
            </For>
          </select>
        </label>
        <label class="form-label">
          {t("Later version")}
          <select
            class="field"
            onChange={(event) => setTo(event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value))}
          >
            <For each={later()}>
              {({ revision, label }) => <option value={revision ?? ""} selected={revision === to()}>{label}</option>}
            </For>
          </select>
        </label>
        <label class="form-label">
          {t("Sheet")}
          <select class="field" dir="auto" onChange={(event) => setChosen(event.currentTarget.value)}>
            <For each={sheets()}>
              {(listed) => <option value={nameOf(listed)} selected={listed === sheet()}>{sheetLabel(listed)}</option>}
            </For>
          </select>
        </label>
      </div>
      <Show when={failure() !== undefined}>
        <p class="import-failure" role="alert">
          {failure() instanceof HistoryUnavailable ? (failure() as Error).message : t("The server cannot be reached")}
        </p>
      </Show>
      <div class="compare-steps">
        <button type="button" class="tool" aria-label={t("Previous difference")} title={t("Previous difference")} disabled={differences().length === 0} onClick={() => step(-1)}>
          <span class="is-upside-down">
            <Icon name="chevron" />
          </span>
        </button>
        <button type="button" class="tool" aria-label={t("Next difference")} title={t("Next difference")} disabled={differences().length === 0} onClick={() => step(1)}>
          <Icon name="chevron" />
        </button>
        <p role="status" dir="auto">{status(sheet(), shownDifference(), compared.loading)}</p>
      </div>
      <div class="compare-panes" classList={{ "is-loading": compared.loading || cells.loading }}>
        <For each={["before", "after"] as const}>
          {(side) => (
            <Pane
              label={side === "before" ? t("Earlier version") : t("Later version")}
              heading={labelOf(props.moments, side === "before" ? from() : to())}
              side={side}
              sheet={sheet()}
              lines={lines()}
              cells={sideCells(side)}
              current={shownDifference()?.[side]?.cell}
              ref={(element) => {
                panes[side] = element;
              }}
              onScroll={() => follow(side)}
            />
          )}
        </For>
      </div>
      <Show when={lines().rows.length >= ROWS_MAX || lines().columns.length >= COLUMNS_MAX}>
        <p class="panel-note">
          {t("The first {rows} rows and {columns} columns are shown.", { rows: ROWS_MAX, columns: COLUMNS_MAX })}
        </p>
      </Show>
    </Modal>
  );
}

/** One of the two revisions of a sheet. */
function Pane(props: {
  readonly label: string;
  readonly heading: string;
  readonly side: Side;
  readonly sheet: SheetDifferences | undefined;
  readonly lines: { readonly rows: readonly AlignedLine[]; readonly columns: readonly AlignedLine[] };
  readonly cells: Cells;
  /** The cell of the difference that was stepped to. */
  readonly current: string | undefined;
  readonly ref: (element: HTMLDivElement) => void;
  readonly onScroll: () => void;
}) {
  const differing = createMemo(() => (props.sheet ? byAddress(props.sheet, props.side) : new Map<string, CellDifference>()));
  const isMissing = () => props.sheet !== undefined && props.sheet[props.side] === null;
  return (
    <div class="compare-pane">
      <h3 dir="auto">{props.heading}</h3>
      <div class="version" dir="ltr" tabIndex={0} role="region" aria-label={`${props.label}: ${props.heading}`} ref={(element) => props.ref(element)} onScroll={() => props.onScroll()}>
        <Show
          when={!isMissing()}
          fallback={<p class="panel-note" dir="auto">{t("This version does not have the sheet.")}</p>}
        >
          <table>
            <thead>
              <tr>
                <td class="version-corner" />
                <For each={props.lines.columns}>
                  {(column) => {
                    const index = () => column[props.side];
                    return (
                      <Show when={index() !== undefined} fallback={<td class="is-gap" />}>
                        <th scope="col">{columnText(index())}</th>
                      </Show>
                    );
                  }}
                </For>
              </tr>
            </thead>
            <tbody>
              <For each={props.lines.rows}>
                {(row) => {
                  const rowIndex = () => row[props.side];
                  return (
                    <tr>
                      <Show when={rowIndex() !== undefined} fallback={<td class="is-gap" />}>
                        <th scope="row">{rowText(rowIndex())}</th>
                      </Show>
                      <For each={props.lines.columns}>
                        {(column) => {
                          const columnIndex = () => column[props.side];
                          const address = () => addressOf(rowIndex(), columnIndex());
                          const cell = (): PastCell | undefined => props.cells[rowIndex() ?? -1]?.[columnIndex() ?? -1];
                          const kind = () => differing().get(address() ?? "")?.kind;
                          return (
                            <td
                              classList={{
                                [`is-${alignment(cell() ?? { text: "" })}`]: true,
                                "is-gap": address() === undefined,
                                "has-other-content": kind() !== undefined && kind() !== "format",
                                "has-other-format": kind() === "format",
                                "is-current": address() !== undefined && address() === props.current,
                              }}
                              data-cell={address()}
                              title={cell()?.formula === undefined ? undefined : formulaInLanguage(cell()?.formula ?? "")}
                            >
                              {cell()?.text}
                            </td>
                          );
                        }}
                      </For>
                    </tr>
                  );
                }}
              </For>
            </tbody>
          </table>
        </Show>
      </div>
    </div>
  );
}

function columnText(index: number | undefined): string {
  return index === undefined ? "" : columnName(index);
}

function rowText(index: number | undefined): string {
  return index === undefined ? "" : String(index + 1);
}

function addressOf(row: number | undefined, column: number | undefined): string | undefined {
  return row === undefined || column === undefined ? undefined : cellName({ row, column });
}

function nameOf(sheet: SheetDifferences): string {
  return sheet.after ?? sheet.before ?? "";
}

function isDifferent(sheet: SheetDifferences): boolean {
  return sheet.before === null || sheet.after === null || (sheet.cellCount ?? 0) > 0;
}

/** The name of a sheet with what is different. */
function sheetLabel(sheet: SheetDifferences): string {
  if (sheet.before === null) {
    return t("{sheet} (new)", { sheet: nameOf(sheet) });
  }
  if (sheet.after === null) {
    return t("{sheet} (deleted)", { sheet: nameOf(sheet) });
  }
  const count = sheet.cellCount ?? 0;
  return count === 0 ? nameOf(sheet) : `${nameOf(sheet)} (${count})`;
}

function labelOf(moments: readonly Moment[], revision: number | undefined): string {
  return moments.find((listed) => listed.revision === revision)?.label ?? t("Revision {number}", { number: revision ?? 0 });
}

/** What the sheet and the chosen difference are, for the status line. */
function status(sheet: SheetDifferences | undefined, difference: CellDifference | undefined, isLoading: boolean): string {
  if (isLoading) {
    return t("Comparing…");
  }
  if (!sheet) {
    return "";
  }
  if (sheet.before === null || sheet.after === null) {
    return sheet.before === null ? t("The sheet is new.") : t("The sheet was deleted.");
  }
  if (difference) {
    return describe(difference);
  }
  const count = sheet.cellCount ?? 0;
  if (!sheet.isComplete) {
    return t("At least {count} cells differ; the sheet is too large to compare all.", { count });
  }
  return count === 0 ? t("The sheet has no differences.") : t("{count} cells differ", { count });
}

function describe({ kind, before, after }: CellDifference): string {
  const cell = after?.cell ?? before?.cell ?? "";
  const moved = before && after && before.cell !== after.cell ? `${before.cell} → ${after.cell}` : cell;
  switch (kind) {
    case "added":
      return t("{cell}: added {text}", { cell: moved, text: contentOf(after) });
    case "removed":
      return t("{cell}: removed {text}", { cell: moved, text: contentOf(before) });
    case "format":
      return t("{cell}: only the format differs", { cell: moved });
    case "content": {
      const [old, now] = [contentOf(before), contentOf(after)];
      return t("{cell}: {before} became {after}", { cell: moved, before: old, after: now });
    }
  }
}

/** The formula or the displayed text of a cell, in quotation marks. */
function contentOf(cell: PastCell | null): string {
  const text = cell?.formula === undefined ? (cell?.text ?? "") : `${formulaInLanguage(cell.formula)} (${cell.text})`;
  return text === "" ? t("a blank cell") : `“${text}”`;
}

/** A moment with its time, and the name of the version or of its author. */
export function momentOf(revision: number, timeMs: number, name: string | undefined): Moment {
  return { revision, label: name ? `${moment(timeMs)} · ${name}` : moment(timeMs) };
}
