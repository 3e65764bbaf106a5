/**
 * The history panel: changes of the workbook or of one cell, with a view of each version that can
 * be restored.
 */

import { cellName, columnName } from "@quadrille/grid";
import { createEffect, createMemo, createResource, createSignal, For, on, Show, Suspense } from "solid-js";
import { CopyFailed, copyRoom, download, openCopy } from "../rooms/index.ts";
import { ago, moment, t } from "../language/index.ts";
import { Icon, Menu, MenuItem, Modal, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { formulaInLanguage, notation } from "../settings/index.ts";
import { isolate, RANGES_MAX, summary } from "./change-summary.ts";
import { CompareDialog, type Moment, momentOf } from "./CompareDialog.tsx";
import {
  alignment,
  cellsAt,
  type ChangesToUndo,
  COLUMNS_MAX,
  difference,
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
import { UndoChangesDialog } from "./UndoChangesDialog.tsx";
import "../style/history.css";

/** Delay of the refresh after an edit. */
const REFRESH_MS = 1_200;
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
  const [compared, setCompared] = createSignal<{ readonly from: number; readonly to: number | undefined }>();
  const [undoing, setUndoing] = createSignal<ChangesToUndo>();
  const [head, setHead] = createSignal(0);
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
        setHead(page.head);
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
  /** What can be compared: now, the end of each editing session, and the named versions. */
  const moments = (): readonly Moment[] => {
    const ends = groups().map(({ newest }) => momentOf(newest.revision, newest.timeMs, nameOf(newest.revision) ?? newest.author.name));
    const listed = new Set(ends.map(({ revision }) => revision));
    const named = versions().filter(({ revision, isKept }) => isKept && !listed.has(revision));
    const all = [...ends, ...named.map(({ revision, timeMs, name }) => momentOf(revision, timeMs, name))];
    const { from, to } = compared() ?? {};
    for (const revision of [from, to]) {
      if (revision !== undefined && !all.some((moment) => moment.revision === revision)) {
        const known = revisions().find((loaded) => loaded.revision === revision);
        all.push(known ? momentOf(revision, known.timeMs, known.author.name) : { revision, label: t("Revision {number}", { number: revision }) });
      }
    }
    all.sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0));
    return [{ revision: undefined, label: t("Now") }, ...all];
  };
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
            {(session) => (
              <SessionEntry
                session={session}
                name={nameOf(session.newest.revision)}
                isOfCell={isOfCell()}
                canEdit={model.status().canEdit}
                head={head()}
                onView={view}
                onCompare={(from, to) => setCompared({ from, to })}
                onUndo={setUndoing}
              />
            )}
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
              onCompare={() => {
                setViewed(undefined);
                setCompared({ from: revision.revision, to: undefined });
              }}
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
      <Show when={compared()} keyed>
        {({ from, to }) => (
          <Suspense>
            <CompareDialog model={model} from={from} to={to} moments={moments()} onClose={() => setCompared(undefined)} />
          </Suspense>
        )}
      </Show>
      <Show when={undoing()} keyed>
        {(changes) => (
          <Suspense>
            <UndoChangesDialog
              model={model}
              changes={changes}
              onClose={() => setUndoing(undefined)}
              onUndone={(count) => {
                setUndoing(undefined);
                model.toast(t("Undid {count} changes of {name}.", { count, name: changes.author.name || t("Someone") }), false);
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
  readonly canEdit: boolean;
  /** The newest revision. */
  readonly head: number;
  readonly onView: (version: ViewedVersion) => void;
  readonly onCompare: (from: number, to: number) => void;
  readonly onUndo: (changes: ChangesToUndo) => void;
}) {
  const { newest, revisions } = props.session;
  const before = (revisions.at(-1)?.revision ?? 1) - 1;
  const name = newest.author.name || t("Someone");
  let button!: HTMLButtonElement;
  return (
    <li class="history-entry">
      <button type="button" ref={button} onClick={() => props.onView(newest)}>
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
      <Show when={!props.isOfCell && props.canEdit}>
        <Menu
          label={t("Actions for the changes of {name}, {time}", { name, time: moment(newest.timeMs) })}
          button={<Icon name="more" />}
          onClosed={() => button.focus()}
        >
          <Show when={before > 0}>
            <MenuItem onSelect={() => props.onCompare(before, newest.revision)}>{t("Compare with the version before")}</MenuItem>
          </Show>
          <MenuItem onSelect={() => props.onUndo({ author: newest.author, after: before, upTo: newest.revision })}>
            {t("Undo these changes…")}
          </MenuItem>
          <MenuItem onSelect={() => props.onUndo({ author: newest.author, after: before, upTo: Math.max(props.head, newest.revision) })}>
            {t("Undo all changes of {name} since then…", { name })}
          </MenuItem>
        </Menu>
      </Show>
    </li>
  );
}

/** The dialog with a version of the workbook: view, download, copy or restore. */
function VersionDialog(props: {
  readonly model: WorkbookModel;
  readonly revision: ViewedVersion;
  /** Empty if the version has none. */
  readonly name: string;
  readonly onNamed: () => void;
  readonly onCompare: () => void;
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
        <button type="button" class="button" onClick={() => props.onCompare()}>
          {t("Compare…")}
        </button>
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
