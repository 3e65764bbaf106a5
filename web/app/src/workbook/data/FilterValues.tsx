/** The texts of a column, each to be shown or not. */

import type { ColumnValue } from "@quadrille/protocol";
import { createMemo, createSignal, For, Show } from "solid-js";
import { t } from "../../language/language.ts";

/** Texts that are listed; a search finds the others. */
const LISTED_MAX = 200;

export function FilterValues(props: {
  /** Until the engine has answered there are none. */
  readonly values: readonly ColumnValue[] | undefined;
  readonly isShown: (text: string) => boolean;
  readonly onHide: (hidden: ReadonlySet<string>) => void;
}) {
  const [search, setSearch] = createSignal("");
  const found = createMemo(() => (props.values ?? []).filter(({ text }) => text.toLowerCase().includes(search().toLowerCase())));
  const set = (texts: readonly string[], show: boolean): void => {
    const next = new Set((props.values ?? []).map(({ text }) => text).filter((text) => !props.isShown(text)));
    texts.forEach((text) => (show ? next.delete(text) : next.add(text)));
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
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(found().map(({ text }) => text), true)}>
          {t("All")}
        </button>
        <button type="button" class="button is-quiet" disabled={!props.values} onClick={() => set(found().map(({ text }) => text), false)}>
          {t("None")}
        </button>
      </div>
      <ul class="filter-values">
        <For each={found().slice(0, LISTED_MAX)}>
          {({ text }) => (
            <li>
              <label class="check">
                <input type="checkbox" checked={props.isShown(text)} onChange={(event) => set([text], event.currentTarget.checked)} />
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
