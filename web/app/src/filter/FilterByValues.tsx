/** The texts of a column, each to be shown or not. */

import type { ColumnValue } from "@quadrille/protocol";
import { createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";

/** Texts that are listed; a search finds the others. */
const LISTED_MAX = 200;

export function FilterByValues(props: {
  /** Until the engine has answered there are none. */
  readonly values: readonly ColumnValue[] | undefined;
  /** Values go by what filters know them by, which is not always what is to be seen. */
  readonly isShown: (known: string) => boolean;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}) {
  const [search, setSearch] = createSignal("");
  const found = createMemo(() => (props.values ?? []).filter(({ text }) => text.toLowerCase().includes(search().toLowerCase())));
  const set = (values: readonly string[], show: boolean): void => {
    const next = new Set((props.values ?? []).map(({ known }) => known).filter((known) => !props.isShown(known)));
    values.forEach((known) => (show ? next.delete(known) : next.add(known)));
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
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(found().map(({ known }) => known), true)}>
          {t("All")}
        </button>
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(found().map(({ known }) => known), false)}>
          {t("None")}
        </button>
      </div>
      <ul class="filter-values">
        <Show when={props.values && found().length === 0}>
          <li class="cell-list-none">{t("No matches")}</li>
        </Show>
        <For each={found().slice(0, LISTED_MAX)}>
          {({ text, known }) => (
            <li>
              <label class="check">
                <input type="checkbox" checked={props.isShown(known)} onChange={(event) => set([known], event.currentTarget.checked)} />
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
