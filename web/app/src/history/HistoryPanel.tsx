/**
 * The history panel: changes of the workbook or of one cell, with a view of each version that can
 * be restored.
 */

import { cellName, columnName } from "@quadrille/grid";
import { createEffect, createMemo, createResource, createSignal, For, on, Show, Suspense } from "solid-js";
import { CopyFailed, copyRoom, download, openCopy } from "../rooms/index.ts";
import { ago, direction, type Message, moment, t } from "../language/index.ts";
import { Icon, Modal, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { formulaInLanguage, notation } from "../settings/index.ts";
import {
  alignment,
  cellsAt,
  COLUMNS_MAX,
  difference,
  type HistoryEntry,
  HistoryUnavailable,
  type NamedVersion,
  nameVersion,
  type PastCell,
  revisionExportUrl,
  readHistory,
  readVersions,
  restore,
  type Revision,
  ROWS_MAX,
  sheetsAt,
  type Session,
  sessions,
  VERSION_NAME_MAX,
} from "./history.ts";
import "../style/history.css";

/** Delay of the refresh after an edit. */
const REFRESH_MS = 1_200;
/** Number of ranges that an entry names. */
const RANGES_MAX = 4;

const KINDS: Readonly<Record<string, Message>> = {
  setCells: "Edited {place}",
  fillCells: "Edited {place}",
  setFormat: "Changed the format of {place}",
  restructure: "Inserted, deleted or moved rows or columns in {place}",
  setSizes: "Changed row or column sizes in {place}",
  permuteRows: "Sorted {place}",
  addSheet: "Added the sheet {place}",
  removeSheet: "Deleted a sheet",
  renameSheet: "Renamed a sheet to {place}",
  moveSheet: "Moved the sheet {place}",
  defineName: "Changed a named range",
  setHidden: "Hid or showed rows or columns in {place}",
  putItem: "Changed a chart, rule, comment or setting in {place}",
  patchItem: "Changed a chart, rule, comment or setting in {place}",
  removeItem: "Deleted a chart, rule or comment in {place}",
  tick: "Recalculated volatile functions",
};

/** The version that the dialog shows. */
interface ViewedVersion {
  readonly revision: number;
  readonly timeMs: number;
  /** `undefined` in the list of named versions. */
  readonly author?: { readonly name: string };
}

/** The panel with the history of the workbook. */
export function HistoryPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isOfCell, setIsOfCell] = createSignal(false);
  const [revisions, setRevisions] = createSignal<readonly Revision[]>([]);
  const [next, setNext] = createSignal<number | null>(null);
  const [failure, setFailure] = createSignal<string>();
  const [isReading, setIsReading] = createSignal(true);
  const [viewed, setViewed] = createSignal<ViewedVersion>();
  const [versions, setVersions] = createSignal<readonly NamedVersion[]>([]);
  const [showsNamed, setShowsNamed] = createSignal(false);
  const nameOf = (revision: number): string | undefined => versions().find((version) => version.revision === revision)?.name;
  const cell = () =>
    isOfCell() ? `${quoteSheetName(model.sheetName())}!${cellName(model.selection().active)}` : undefined;
  /** Shows a version, with its author if the list has it. */
  const view = (version: ViewedVersion): void => {
    setViewed(revisions().find(({ revision }) => revision === version.revision) ?? version);
  };
  const isNamedList = () => showsNamed() && !isOfCell();
  let requestCount = 0;

  const load = async (before: number | undefined): Promise<void> => {
    requestCount += 1;
    const request = requestCount;
    setIsReading(true);
    try {
      const [page, named] = await Promise.all([readHistory(model.room, before, cell()), readVersions(model.room)]);
      if (request === requestCount) {
        setVersions(named);
        setRevisions((loaded) => (before === undefined ? page.revisions : [...loaded, ...page.revisions]));
        setNext(page.next);
        setFailure(undefined);
      }
    } catch (error) {
      if (request === requestCount) {
        setFailure(error instanceof HistoryUnavailable ? error.message : t("The server cannot be reached"));
      }
    } finally {
      if (request === requestCount) {
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
  // After an error, loads again when the connection is back.
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
  const groups = createMemo(() => sessions(revisions(), new Set(versions().map(({ revision }) => revision))));

  return (
    <Panel title={t("History")} onClose={() => model.closePanel()}>
      <div class="history-scope" role="group" aria-label={t("Show history of")}>
        <button type="button" class="button" aria-pressed={!isOfCell()} onClick={() => setIsOfCell(false)}>
          {t("Whole workbook")}
        </button>
        <button type="button" class="button" aria-pressed={isOfCell()} onClick={() => setIsOfCell(true)}>
          {t("Cell {cell}", { cell: notation().cell(model.selection().active) })}
        </button>
      </div>
      <Show when={!isOfCell()}>
        <label class="check history-named">
          <input type="checkbox" checked={showsNamed()} onChange={(event) => setShowsNamed(event.currentTarget.checked)} />
          {t("Only show named versions")}
        </label>
      </Show>
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
      <Show
        when={!isNamedList()}
        fallback={<NamedVersions versions={versions()} isLoaded={!isReading() && failure() === undefined} onView={view} />}
      >
        <ol class="history">
          <For
            each={groups()}
            fallback={
              <Show when={!isReading() && failure() === undefined}>
                <li class="panel-note">
                  {isOfCell() ? t("This cell has no history.") : t("No changes yet.")}
                </li>
              </Show>
            }
          >
            {(session) => <SessionEntry session={session} name={nameOf(session.newest.revision)} isOfCell={isOfCell()} onView={view} />}
          </For>
        </ol>
      </Show>
      <Show when={isReading() && revisions().length === 0 && failure() === undefined}>
        <p class="panel-note" role="status">
          <span class="spinner is-small" aria-hidden="true" /> {t("Loading history…")}
        </p>
      </Show>
      <Show when={!isNamedList() && next()}>
        {(before) => (
          <button type="button" class="button" disabled={isReading()} onClick={() => void load(before())}>
            {t("Earlier")}
          </button>
        )}
      </Show>
      <Show when={viewed()} keyed>
        {(revision) => (
          // The list stays visible while the cells are being loaded.
          <Suspense>
            <VersionDialog
              model={model}
              revision={revision}
              name={nameOf(revision.revision) ?? ""}
              onNamed={() => void load(undefined)}
              onClose={() => setViewed(undefined)}
              onRestored={() => {
                setViewed(undefined);
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

/** A sheet name quoted as in formulas. */
function quoteSheetName(sheet: string): string {
  return `'${sheet.replaceAll("'", "''")}'`;
}

/** The list of named versions. */
function NamedVersions(props: {
  readonly versions: readonly NamedVersion[];
  readonly isLoaded: boolean;
  readonly onView: (version: ViewedVersion) => void;
}) {
  return (
    <ol class="history">
      <For
        each={props.versions}
        fallback={
          <Show when={props.isLoaded}>
            <li class="panel-note">{t("No versions have been named yet.")}</li>
          </Show>
        }
      >
        {(version) => (
          <li class="history-entry">
            <button type="button" disabled={!version.isKept} onClick={() => props.onView(version)}>
              <strong class="version-name" dir="auto">
                {version.name}
              </strong>
              <span class="history-change">{version.isKept ? moment(version.timeMs) : t("This version is no longer kept.")}</span>
            </button>
          </li>
        )}
      </For>
    </ol>
  );
}

function SessionEntry(props: {
  readonly session: Session;
  readonly name: string | undefined;
  readonly isOfCell: boolean;
  readonly onView: (version: ViewedVersion) => void;
}) {
  const { newest, revisions } = props.session;
  return (
    <li class="history-entry">
      <button type="button" onClick={() => props.onView(newest)}>
        <Show when={props.name}>
          <strong class="version-name" dir="auto">
            {props.name}
          </strong>
        </Show>
        <span class="history-header">
          <strong>{newest.author.name || t("Someone")}</strong>
          <time title={moment(newest.timeMs)} dateTime={new Date(newest.timeMs).toISOString()}>
            {ago(newest.timeMs)}
          </time>
        </span>
        <Show
          when={props.isOfCell}
          fallback={
            <For each={summary(revisions)}>{(text) => <span class="history-change">{text}</span>}</For>
          }
        >
          <For each={revisions.slice(0, RANGES_MAX)}>
            {(revision) => (
              <span class="history-change">
                {revision.input === null || revision.input === undefined
                  ? t("Changed format or position")
                  : revision.input === ""
                    ? t("Cleared")
                    : t("Entered “{text}”", { text: isolate(revision.input) })}
              </span>
            )}
          </For>
        </Show>
      </button>
    </li>
  );
}

/** Describes the changes of an editing session: each kind once, with its ranges. */
function summary(revisions: readonly Revision[]): string[] {
  const rangesOfKind = new Map<Message, string[]>();
  const renamings = revisions.flatMap(({ title }) => (title ? [describeRenaming(title)] : []));
  const operations = revisions.flatMap(({ title, operations }) =>
    // Renamings are described separately.
    title ? operations.filter(({ kind, sheet }) => sheet !== null || !kind.endsWith("Item")) : operations,
  );
  for (const operation of operations) {
    const isNaming = operation.sheet === null && /\bnamedVersion\b/.test(operation.words);
    const kind = isNaming ? ("Named a version" satisfies Message) : (KINDS[operation.kind] ?? ("Changed {place}" satisfies Message));
    const ranges = rangesOfKind.get(kind) ?? [];
    const range = rangeOf(operation);
    if (!ranges.includes(range)) {
      ranges.push(range);
    }
    rangesOfKind.set(kind, ranges);
  }
  const others = [...rangesOfKind].map(([kind, ranges]) => {
    const named = ranges.slice(0, RANGES_MAX).filter((range) => range !== "");
    // A combined change may not name the sheet.
    if (named.length === 0 && kind === KINDS["renameSheet"]) {
      return t("Renamed a sheet");
    }
    return t(kind, { place: joinRanges(named) + (ranges.length > RANGES_MAX ? "\u00a0…" : "") });
  });
  return [...renamings.slice(0, RANGES_MAX), ...others];
}

/** Joins ranges; in a right-to-left language each is isolated. */
function joinRanges(ranges: readonly string[]): string {
  return direction() === "rtl" ? ranges.map(isolate).join("، ") : ranges.join(", ");
}

/** Isolates text that may have another direction than the sentence. */
function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}

function describeRenaming({ from, to }: NonNullable<Revision["title"]>): string {
  if (to === null) {
    return t("Removed the workbook name “{from}”", { from: isolate(from ?? "") });
  }
  return from === null
    ? t("Named the workbook “{to}”", { to: isolate(to) })
    : t("Renamed the workbook from “{from}” to “{to}”", { from: isolate(from), to: isolate(to) });
}

function rangeOf(operation: HistoryEntry): string {
  return [operation.sheet, operation.range].filter((part) => part !== null).join("!");
}

/** The dialog with a version of the workbook: view, download, copy or restore. */
function VersionDialog(props: {
  readonly model: WorkbookModel;
  readonly revision: ViewedVersion;
  /** Empty if the version has none. */
  readonly name: string;
  readonly onNamed: () => void;
  readonly onClose: () => void;
  readonly onRestored: () => void;
}) {
  const { model, revision } = props;
  const [sheets] = createResource(() => sheetsAt(model.room, revision.revision));
  const [chosen, setChosen] = createSignal<string>();
  const sheet = () => {
    const loaded = sheets.error === undefined ? (sheets() ?? []) : [];
    const selected = chosen() ?? model.sheetName();
    return loaded.find(({ name }) => name === selected) ?? loaded[0];
  };
  const [cells] = createResource(sheet, async (displayed) => {
    const [past, now] = await Promise.all([
      cellsAt(model.room, revision.revision, displayed),
      cellsAt(model.room, undefined, displayed),
    ]);
    return { past, now };
  });
  const rows = () => (cells.error === undefined ? (cells()?.past ?? []) : []);
  const [isRestoring, setIsRestoring] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const errorText = () => failure() ?? errorMessage(sheets.error) ?? errorMessage(cells.error);
  const restoreVersion = async (): Promise<void> => {
    setIsRestoring(true);
    try {
      await restore(model.room, revision.revision, model.identity().name);
      props.onRestored();
    } catch (error) {
      setFailure(errorMessage(error));
      setIsRestoring(false);
    }
  };
  const [name, setName] = createSignal(props.name);
  const [isNaming, setIsNaming] = createSignal(false);
  const saveName = async (chosen: string): Promise<void> => {
    setIsNaming(true);
    setFailure(undefined);
    try {
      await nameVersion(model.room, revision.revision, chosen, model.identity().name);
      setName(chosen.trim());
      props.onNamed();
    } catch (error) {
      setFailure(errorMessage(error));
    } finally {
      setIsNaming(false);
    }
  };
  const save = (): Promise<void> =>
    download(model.room, revisionExportUrl(model.room, revision.revision)).catch(() => {
      setFailure(t("The file could not be downloaded. Try again."));
    });
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
        {revision.author
          ? t("Last edited by {name}. Cells with changed content are highlighted; cells with only a changed format have a dashed border.", {
              name: revision.author.name || t("Someone"),
            })
          : t("Cells with changed content are highlighted; cells with only a changed format have a dashed border.")}
      </p>
      <Show when={errorText()}>
        <p class="import-failure" role="alert">
          {errorText()}
        </p>
      </Show>
      <Show when={(sheets.error === undefined ? (sheets()?.length ?? 0) : 0) > 1}>
        <label class="panel-row">
          <span>{t("Sheet")}</span>
          <select class="field" onChange={(event) => setChosen(event.currentTarget.value)}>
            <For each={sheets()}>
              {({ name }) => <option value={name} selected={name === sheet()?.name}>{name}</option>}
            </For>
          </select>
        </label>
      </Show>
      <div class="version" dir="ltr" tabIndex={0} role="region" aria-label={t("Version from {time}", { time: moment(revision.timeMs) })}>
        <table>
          <thead>
            <tr>
              <td class="version-corner" />
              <For each={rows()[0] ?? []}>{(_, column) => <th scope="col">{columnName(column())}</th>}</For>
            </tr>
          </thead>
          <tbody>
            <For each={rows()}>
              {(row, rowIndex) => (
                <tr>
                  <th scope="row">{rowIndex() + 1}</th>
                  <For each={row}>
                    {(cell, column) => {
                      const now = () => cells()?.now[rowIndex()]?.[column()];
                      const differs = () => difference(cell, now());
                      return (
                        <td
                          class={`is-${alignment(cell)}`}
                          classList={{ "has-other-content": differs() === "content", "has-other-format": differs() === "format" }}
                          title={describeDifference(cell, now())}
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
      <Show when={model.status().canEdit}>
        <form
          class="version-form"
          onSubmit={(event) => {
            event.preventDefault();
            void saveName(name());
          }}
        >
          <label class="form-label">
            {t("Version name")}
            <input class="field" dir="auto" maxLength={VERSION_NAME_MAX} value={name()} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <button type="submit" class="button" disabled={isNaming() || name().trim() === "" || name().trim() === props.name}>
            {t("Save name")}
          </button>
          <Show when={props.name !== ""}>
            <button type="button" class="button" disabled={isNaming()} onClick={() => void saveName("")}>
              {t("Remove name")}
            </button>
          </Show>
        </form>
      </Show>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => void save()}>
          <Icon name="download" />
          {t("Download as {format}", { format: ".xlsx" })}
        </button>
        <button type="button" class="button" disabled={isCopying()} onClick={() => void copy()}>
          <Icon name="copy" />
          {t("Make a copy")}
        </button>
        <Show when={model.status().canEdit}>
          <button type="button" class="button is-main" disabled={isRestoring()} onClick={() => void restoreVersion()}>
            {t("Restore this version")}
          </button>
        </Show>
      </div>
    </Modal>
  );
}

function describeDifference(past: PastCell, now: PastCell | undefined): string | undefined {
  const text = now?.text ?? "";
  switch (difference(past, now)) {
    case "content": {
      const formula = now?.formula === past.formula ? undefined : now?.formula;
      return t("Now: {text}", { text: formula === undefined ? text : formulaInLanguage(formula) });
    }
    case "format":
      return text === past.text ? t("Format changed since") : t("Format changed since: {text}", { text });
    case undefined:
      return undefined;
  }
}

function errorMessage(error: unknown): string | undefined {
  return error === undefined ? undefined : error instanceof HistoryUnavailable ? error.message : t("The server cannot be reached");
}
