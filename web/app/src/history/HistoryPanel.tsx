/** Who changed what when, of the whole workbook or of one cell; any moment can be looked at and brought back. */

import { cellName, columnName } from "@quadrille/grid";
import { createEffect, createMemo, createResource, createSignal, For, on, Show, Suspense } from "solid-js";
import { CopyFailed, copyRoom, openCopy } from "../rooms/index.ts";
import { ago, direction, type Message, moment, t } from "../language/index.ts";
import { Icon, Modal, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import {
  alignment,
  cellsAt,
  COLUMNS_MAX,
  difference,
  type HistoryEntry,
  HistoryUnavailable,
  type PastCell,
  revisionExportUrl,
  readHistory,
  restore,
  type Revision,
  ROWS_MAX,
  sheetsAt,
  type Session,
  sessions,
} from "./history.ts";
import "../style/history.css";

/** After an edit, before the list is read anew. */
const REFRESH_MS = 1_200;
/** Places that one line names. */
const PLACES_MAX = 4;

const KINDS: Readonly<Record<string, Message>> = {
  setCells: "Edited {place}",
  fillCells: "Edited {place}",
  setFormat: "Changed the format of {place}",
  restructure: "Inserted, deleted or moved rows or columns in {place}",
  setSizes: "Changed sizes in {place}",
  permuteRows: "Sorted {place}",
  addSheet: "Added the sheet {place}",
  removeSheet: "Removed a sheet",
  renameSheet: "Renamed a sheet to {place}",
  moveSheet: "Moved the sheet {place}",
  defineName: "Changed a name",
  setHidden: "Hid or showed rows or columns in {place}",
  putItem: "Changed a chart, rule, comment or setting in {place}",
  patchItem: "Changed a chart, rule, comment or setting in {place}",
  removeItem: "Removed a chart, rule or comment in {place}",
  tick: "Recalculated the time",
};

export function HistoryPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isOfCell, setIsOfCell] = createSignal(false);
  const [revisions, setRevisions] = createSignal<readonly Revision[]>([]);
  const [next, setNext] = createSignal<number | null>(null);
  const [failure, setFailure] = createSignal<string>();
  const [isReading, setIsReading] = createSignal(true);
  const [looked, setLooked] = createSignal<Revision>();
  const cell = () =>
    isOfCell() ? `${quoted(model.sheetName())}!${cellName(model.selection().active)}` : undefined;
  let asked = 0;

  const load = async (before: number | undefined): Promise<void> => {
    asked += 1;
    const number = asked;
    setIsReading(true);
    try {
      const page = await readHistory(model.room, before, cell());
      if (number === asked) {
        setRevisions((known) => (before === undefined ? page.revisions : [...known, ...page.revisions]));
        setNext(page.next);
        setFailure(undefined);
      }
    } catch (error) {
      if (number === asked) {
        setFailure(error instanceof HistoryUnavailable ? error.message : t("The server cannot be reached"));
      }
    } finally {
      if (number === asked) {
        setIsReading(false);
      }
    }
  };
  createEffect(on(cell, () => void load(undefined)));
  let timer = 0;
  createEffect(
    on(
      [model.cellChanges, model.items.changes],
      () => {
        window.clearTimeout(timer);
        timer = window.setTimeout(() => void load(undefined), REFRESH_MS);
      },
      { defer: true },
    ),
  );
  // What could not be read is read when there is a connection again.
  createEffect(
    on(
      () => model.status().isConnected,
      (isConnected) => {
        if (isConnected && failure() !== undefined) {
          void load(undefined);
        }
      },
      { defer: true },
    ),
  );
  const lines = createMemo(() => sessions(revisions()));

  return (
    <Panel title={t("History")} onClose={() => model.closePanel()}>
      <div class="history-of" role="group" aria-label={t("Show history of")}>
        <button type="button" class="button" aria-pressed={!isOfCell()} onClick={() => setIsOfCell(false)}>
          {t("Whole workbook")}
        </button>
        <button type="button" class="button" aria-pressed={isOfCell()} onClick={() => setIsOfCell(true)}>
          {t("Cell {cell}", { cell: notation().cell(model.selection().active) })}
        </button>
      </div>
      <Show when={failure()}>
        <div class="history-failure">
          <p class="import-failure" role="alert">
            {failure()}
          </p>
          <button type="button" class="button" onClick={() => void load(undefined)}>
            {t("Try again")}
          </button>
        </div>
      </Show>
      <ol class="history">
        <For
          each={lines()}
          fallback={
            <Show when={!isReading() && failure() === undefined}>
              <li class="panel-note">
                {isOfCell() ? t("This cell has no history.") : t("No changes yet.")}
              </li>
            </Show>
          }
        >
          {(sitting) => <Line sitting={sitting} isOfCell={isOfCell()} onLook={setLooked} />}
        </For>
      </ol>
      <Show when={isReading() && revisions().length === 0 && failure() === undefined}>
        <p class="panel-note" role="status">
          <span class="spinner is-small" aria-hidden="true" /> {t("Loading history…")}
        </p>
      </Show>
      <Show when={next()}>
        {(before) => (
          <button type="button" class="button" disabled={isReading()} onClick={() => void load(before())}>
            {t("Earlier")}
          </button>
        )}
      </Show>
      <Show when={looked()} keyed>
        {(revision) => (
          // The list stays while the cells are read.
          <Suspense>
            <Look
              model={model}
              revision={revision}
              onClose={() => setLooked(undefined)}
              onRestored={() => {
                setLooked(undefined);
                model.toast(t("Restored the version from {time}.", { time: moment(revision.timeMs) }), false);
                void load(undefined);
              }}
            />
          </Suspense>
        )}
      </Show>
    </Panel>
  );
}

/** As formulas name a sheet. */
function quoted(sheet: string): string {
  return `'${sheet.replaceAll("'", "''")}'`;
}

function Line(props: {
  readonly sitting: Session;
  readonly isOfCell: boolean;
  readonly onLook: (revision: Revision) => void;
}) {
  const { newest, revisions } = props.sitting;
  return (
    <li class="history-line">
      <button type="button" onClick={() => props.onLook(newest)}>
        <span class="history-head">
          <strong>{newest.author.name || t("Somebody")}</strong>
          <time title={moment(newest.timeMs)} dateTime={new Date(newest.timeMs).toISOString()}>
            {ago(newest.timeMs)}
          </time>
        </span>
        <Show
          when={props.isOfCell}
          fallback={
            <For each={summary(revisions)}>{(text) => <span class="history-what">{text}</span>}</For>
          }
        >
          <For each={revisions.slice(0, PLACES_MAX)}>
            {(revision) => (
              <span class="history-what">
                {revision.input === null || revision.input === undefined
                  ? t("Changed format or position")
                  : revision.input === ""
                    ? t("Cleared")
                    : t("Entered “{text}”", { text: apart(revision.input) })}
              </span>
            )}
          </For>
        </Show>
      </button>
    </li>
  );
}

/** What a sitting did, each thing once with the places it happened. */
function summary(revisions: readonly Revision[]): string[] {
  const places = new Map<Message, string[]>();
  const renamings = revisions.flatMap(({ title }) => (title ? [renaming(title)] : []));
  const happenings = revisions.flatMap(({ title, operations }) =>
    // Told by name.
    title ? operations.filter(({ kind, sheet }) => sheet !== null || !kind.endsWith("Item")) : operations,
  );
  for (const happening of happenings) {
    const kind = KINDS[happening.kind] ?? ("Changed {place}" satisfies Message);
    const known = places.get(kind) ?? [];
    const place = positionOf(happening);
    if (!known.includes(place)) {
      known.push(place);
    }
    places.set(kind, known);
  }
  const others = [...places].map(([kind, known]) => {
    const shown = known.slice(0, PLACES_MAX).filter((place) => place !== "");
    // A change that came with others may not say where; then what it was has to do.
    if (shown.length === 0 && kind === KINDS["renameSheet"]) {
      return t("Renamed a sheet");
    }
    return t(kind, { place: listed(shown) + (known.length > PLACES_MAX ? "\u00a0…" : "") });
  });
  return [...renamings.slice(0, PLACES_MAX), ...others];
}

/** From the right each place is read by itself, and the next one stands to its left. */
function listed(places: readonly string[]): string {
  return direction() === "rtl" ? places.map(apart).join("، ") : places.join(", ");
}

/** Names and what is in cells may run in the other direction than the sentence. */
function apart(text: string): string {
  return `\u2068${text}\u2069`;
}

function renaming({ from, to }: NonNullable<Revision["title"]>): string {
  if (to === null) {
    return t("Removed the workbook name “{from}”", { from: apart(from ?? "") });
  }
  return from === null
    ? t("Named the workbook “{to}”", { to: apart(to) })
    : t("Renamed the workbook from “{from}” to “{to}”", { from: apart(from), to: apart(to) });
}

function positionOf(happening: HistoryEntry): string {
  return [happening.sheet, happening.range].filter((part) => part !== null).join("!");
}

/** The workbook at one moment, to look at, to take along, or to bring back. */
function Look(props: {
  readonly model: WorkbookModel;
  readonly revision: Revision;
  readonly onClose: () => void;
  readonly onRestored: () => void;
}) {
  const { model, revision } = props;
  const [sheets] = createResource(() => sheetsAt(model.room, revision.revision));
  const [chosen, setChosen] = createSignal<string>();
  const sheet = () => {
    const found = sheets.error === undefined ? (sheets() ?? []) : [];
    const wanted = chosen() ?? model.sheetName();
    return found.find(({ name }) => name === wanted) ?? found[0];
  };
  const [cells] = createResource(sheet, async (shown) => {
    const [past, now] = await Promise.all([
      cellsAt(model.room, revision.revision, shown),
      cellsAt(model.room, undefined, shown),
    ]);
    return { past, now };
  });
  const rows = () => (cells.error === undefined ? (cells()?.past ?? []) : []);
  const [isRestoring, setIsRestoring] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const errorText = () => failure() ?? reason(sheets.error) ?? reason(cells.error);
  const bringBack = async (): Promise<void> => {
    setIsRestoring(true);
    try {
      await restore(model.room, revision.revision, model.identity().name);
      props.onRestored();
    } catch (error) {
      setFailure(reason(error));
      setIsRestoring(false);
    }
  };
  const [isCopying, setIsCopying] = createSignal(false);
  const copy = async (): Promise<void> => {
    setIsCopying(true);
    try {
      openCopy(await copyRoom({ room: model.room, revision: revision.revision, title: model.title.ofCopy(), author: model.identity().name }));
    } catch (error) {
      setFailure(error instanceof CopyFailed ? error.message : String(error));
    } finally {
      setIsCopying(false);
    }
  };
  return (
    <Modal isOpen isWide title={t("Version from {time}", { time: moment(revision.timeMs) })} onClose={() => props.onClose()}>
      <p class="panel-note">
        {t("Last changed by {name}. Cells that hold something else now are marked; a dashed frame is round those that only look different.", {
          name: revision.author.name || t("Somebody"),
        })}
      </p>
      <Show when={errorText()}>
        <p class="import-failure" role="alert">
          {errorText()}
        </p>
      </Show>
      <Show when={(sheets.error === undefined ? (sheets()?.length ?? 0) : 0) > 1}>
        <label class="panel-line">
          <span>{t("Sheet")}</span>
          <select class="field" onChange={(event) => setChosen(event.currentTarget.value)}>
            <For each={sheets()}>
              {({ name }) => <option value={name} selected={name === sheet()?.name}>{name}</option>}
            </For>
          </select>
        </label>
      </Show>
      <div class="past" dir="ltr" tabIndex={0} role="region" aria-label={t("Version from {time}", { time: moment(revision.timeMs) })}>
        <table>
          <thead>
            <tr>
              <td class="past-corner" />
              <For each={rows()[0] ?? []}>{(_, column) => <th scope="col">{columnName(column())}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={rows()}>
              {(row, at) => (
                <tr>
                  <th scope="row">{at() + 1}</th>
                  <For each={row}>
                    {(cell, column) => {
                      const now = () => cells()?.now[at()]?.[column()];
                      const differs = () => difference(cell, now());
                      return (
                        <td
                          class={`is-${alignment(cell)}`}
                          classList={{ "is-different": differs() === "content", "looks-different": differs() === "look" }}
                          title={differenceInWords(cell, now())}
                        >
                          {cell.text}
                        </td>
                      );
                    }}
                  </For>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <Show when={!cells.loading && errorText() === undefined && rows().length === 0}>
          <p class="panel-note" dir="auto">{t("This sheet was empty.")}</p>
        </Show>
      </div>
      <Show when={(sheet()?.rows ?? 0) > ROWS_MAX || (sheet()?.columns ?? 0) > COLUMNS_MAX}>
        <p class="panel-note">
          {t("The first {rows} rows and {columns} columns are shown; the file holds everything.", {
            rows: ROWS_MAX,
            columns: COLUMNS_MAX,
          })}
        </p>
      </Show>
      <div class="modal-buttons">
        <a class="button" href={revisionExportUrl(model.room, revision.revision)} download="">
          <Icon name="download" />
          {t("Download as {format}", { format: ".xlsx" })}
        </a>
        <button type="button" class="button" disabled={isCopying()} onClick={() => void copy()}>
          <Icon name="copy" />
          {t("Make a copy")}
        </button>
        <Show when={model.status().canEdit}>
          <button type="button" class="button is-main" disabled={isRestoring()} onClick={() => void bringBack()}>
            {t("Restore this version")}
          </button>
        </Show>
      </div>
    </Modal>
  );
}

function differenceInWords(past: PastCell, now: PastCell | undefined): string | undefined {
  const text = now?.text ?? "";
  switch (difference(past, now)) {
    case "content":
      return t("Now: {text}", { text: (now?.formula !== past.formula ? now?.formula : undefined) ?? text });
    case "look":
      return text === past.text ? t("Format changed since") : t("Format changed since: {text}", { text });
    case undefined:
      return undefined;
  }
}

function reason(error: unknown): string | undefined {
  return error === undefined ? undefined : error instanceof HistoryUnavailable ? error.message : t("The server cannot be reached");
}
