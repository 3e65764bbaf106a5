/** The panel "Clean-up suggestions": what may be wrong in a table, with a button that corrects it. */

import "../style/clean-up.css";
import { cellName, isSingleCell, isWholeColumns, type Range, rangeName, rangeOf } from "@quadrille/grid";
import type { CellContent, CellTable, Command } from "@quadrille/protocol";
import { createEffect, createSignal, For, on, Show } from "solid-js";
import { Panel } from "../components/index.ts";
import { type Message, t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import { columnLabel, COLUMNS_NAMED_MAX } from "../sort/index.ts";
import { createPoll, type WorkbookModel } from "../state/index.ts";
import { type CleanUpSuggestion, cleanUpSuggestions, type Correction, type SuggestionKind } from "./suggestions.ts";

/** Corrections that a suggestion shows as examples. */
const EXAMPLES = 3;
/** Corrections of one command, which has at most 10,000 operations; the others are suggested again. */
const CORRECTIONS_MAX = 5_000;

const TITLES = {
  whitespace: "Whitespace to trim",
  numbers: "Numbers stored as text",
  spelling: "Different spellings",
} as const satisfies Record<SuggestionKind, Message>;

/** A checked range with what was found in it. */
interface Checked {
  readonly sheet: number;
  readonly range: Range;
  readonly table: CellTable;
  readonly suggestions: readonly CleanUpSuggestion[];
  readonly duplicates: number;
}

/** The panel of suggestions for the selected data, or for the filled region around the active cell. */
export function CleanUpPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [source, setSource] = createSignal<{ readonly sheet: number; readonly range: Range }>();
  const [hasHeader, setHasHeader] = createSignal(true);
  const choose = async (): Promise<void> => {
    const isRegion = isSingleCell(model.selection()) || isWholeColumns(model.range);
    const range = await model.dataRange();
    setHasHeader(isRegion);
    setSource({ sheet: model.sheetId(), range });
  };
  void choose();

  const poll = createPoll(() => {
    const chosen = source();
    return chosen && check(model, chosen.sheet, chosen.range, hasHeader());
  });
  createEffect(on([source, hasHeader, model.cellChanges], () => poll.refresh()));
  const checked = (): Checked | undefined => {
    const result = poll.result();
    return model.sheets().some(({ id }) => id === result?.sheet) ? result : undefined;
  };
  const label = ({ table }: Checked, column: number): string => {
    const header = hasHeader() ? table.rows[0]?.cells[column - table.left]?.text : undefined;
    return columnLabel(header === "" ? undefined : header, column);
  };
  const show = ({ sheet }: Checked, { row, column }: Correction): void =>
    model.goToReference({ sheet, range: rangeOf({ row, column }) });
  const correct = ({ sheet }: Checked, { kind, corrections }: CleanUpSuggestion): void => {
    const applied = corrections.slice(0, CORRECTIONS_MAX);
    model.command({ type: "many", commands: applied.map((correction) => correctionCommand(sheet, kind, correction)) });
    model.toast(t("{count} cells corrected.", { count: applied.length }), false);
  };
  const removeDuplicates = ({ sheet, range, duplicates }: Checked): void => {
    model.command({ type: "removeDuplicates", sheet, range: rangeName(range), columns: columnsOf(range), hasHeader: hasHeader() });
    model.toast(t("{count} duplicate rows removed.", { count: duplicates }), false);
  };

  return (
    <Panel title={t("Clean-up suggestions")} onClose={() => model.closePanel()}>
      <section class="panel-section clean-up-source">
        <Show when={source()}>
          {(chosen) => <p class="sort-range">{t("Rows of {range}", { range: notation().range(chosen().range) })}</p>}
        </Show>
        <label class="check">
          <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
          {t("Header row")}
        </label>
        <button type="button" class="button" onClick={() => void choose()}>
          {t("Check the selected data")}
        </button>
      </section>
      <Show when={checked()} fallback={<p class="panel-note">{t("Searching…")}</p>}>
        {(result) => (
          <>
            <ul class="clean-up">
              <Show when={result().duplicates > 0}>
                <li>
                  <h3>{t("Duplicate rows|in a list")}</h3>
                  <p>{t("{count} duplicate rows found.", { count: result().duplicates })}</p>
                  <span class="clean-up-buttons">
                    <button type="button" class="button is-main" disabled={!model.canType()} onClick={() => removeDuplicates(result())}>
                      {t("Remove")}
                    </button>
                  </span>
                </li>
              </Show>
              <For each={result().suggestions}>
                {(suggestion) => (
                  <li>
                    <h3>{t(TITLES[suggestion.kind])}</h3>
                    <p>
                      {label(result(), suggestion.column)}, {t("{count} cells", { count: suggestion.corrections.length })}
                    </p>
                    <ul class="clean-up-examples">
                      <For each={suggestion.corrections.slice(0, EXAMPLES)}>
                        {(correction) => (
                          <li>
                            <button type="button" class="clean-up-example" title={notation().range(rangeOf(correction))} onClick={() => show(result(), correction)}>
                              <del dir="auto">{correction.from}</del> → <ins dir="auto">{correction.to}</ins>
                            </button>
                          </li>
                        )}
                      </For>
                    </ul>
                    <span class="clean-up-buttons">
                      <button type="button" class="button is-main" disabled={!model.canType()} onClick={() => correct(result(), suggestion)}>
                        {t("Correct")}
                      </button>
                    </span>
                  </li>
                )}
              </For>
            </ul>
            <Show when={result().duplicates === 0 && result().suggestions.length === 0}>
              <p class="panel-note">{t("Nothing to clean up was found in these cells.")}</p>
            </Show>
            <Show when={result().table.isCutShort}>
              <p class="panel-note">{t("Only the first {count} rows were checked.", { count: result().table.rows.length })}</p>
            </Show>
          </>
        )}
      </Show>
    </Panel>
  );
}

function columnsOf({ left, right }: Range): number[] {
  return Array.from({ length: right - left + 1 }, (_, index) => left + index);
}

async function check(model: WorkbookModel, sheet: number, range: Range, hasHeader: boolean): Promise<Checked> {
  const within = { ...range, right: Math.min(range.right, range.left + COLUMNS_NAMED_MAX - 1) };
  const [table, duplicates] = await Promise.all([
    model.session.query({ type: "cells", sheet, range: within, skipsFiltered: false }),
    model.session.query({ type: "duplicates", sheet, range, columns: columnsOf(range), hasHeader }),
  ]);
  return { sheet, range, table, suggestions: cleanUpSuggestions(table, hasHeader), duplicates };
}

function correctionCommand(sheet: number, kind: SuggestionKind, { row, column, to }: Correction): Command {
  const content: CellContent = kind === "numbers" ? { typed: to } : { text: to };
  return { type: "setCells", sheet, at: cellName({ row, column }), cells: [[content]] };
}
