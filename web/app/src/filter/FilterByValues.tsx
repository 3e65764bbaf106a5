/** Filters a column by its values. */

import type { ColumnValue } from "@quadrille/protocol";
import { createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { dateGroups } from "./date-groups.ts";
import { FilterByDates } from "./FilterByDates.tsx";

/** Number of values that are listed; a search finds the others. */
const LISTED_MAX = 200;

/** The values of the column as checkboxes, dates by year, month and day unless a text is searched. */
export function FilterByValues(props: {
  /** The values of the column; `undefined` until the engine has answered. */
  readonly values: readonly ColumnValue[] | undefined;
  /** Takes the filter key of a value, which can differ from the displayed text. */
  readonly isVisible: (key: string) => boolean;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}) {
  const [search, setSearch] = createSignal("");
  const matches = createMemo(() => (props.values ?? []).filter(({ text }) => text.toLowerCase().includes(search().toLowerCase())));
  const groups = createMemo(() => (search() === "" ? dateGroups(props.values ?? []) : []));
  const listed = createMemo(() => (groups().length > 0 ? matches().filter(({ date }) => date === undefined) : matches()));
  const set = (values: readonly string[], show: boolean): void => {
    const next = new Set((props.values ?? []).map(({ known: key }) => key).filter((key) => !props.isVisible(key)));
    values.forEach((key) => (show ? next.delete(key) : next.add(key)));
    props.onHide(next);
  };
  return (
    <>
      <input
        class="field"
        type="search"
        placeholder={t("Find")}
        aria-label={t("Find")}
        value={search()}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <div class="filter-all">
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(matches().map(({ known: key }) => key), true)}>
          {t("All")}
        </button>
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(matches().map(({ known: key }) => key), false)}>
          {t("None")}
        </button>
      </div>
      <ul class="filter-values">
        <Show when={props.values && matches().length === 0}>
          <li class="cell-list-none">{t("No matches")}</li>
        </Show>
        <FilterByDates groups={groups()} isVisible={props.isVisible} onChange={set} />
        <For each={listed().slice(0, LISTED_MAX)}>
          {({ text, known: key }) => (
            <li>
              <label class="check">
                <input type="checkbox" checked={props.isVisible(key)} onChange={(event) => set([key], event.currentTarget.checked)} />
                <Show when={text !== ""} fallback={<em>{t("Blank cells")}</em>}>
                  <span dir="auto">{text}</span>
                </Show>
              </label>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
