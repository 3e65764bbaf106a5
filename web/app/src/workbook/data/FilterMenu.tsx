/** One column's filter: sort by it, or choose which of its texts show. */

import { rangeName } from "@quadrille/grid";
import { createMemo, createResource, createSignal, For, Show } from "solid-js";
import { t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";
import { type FilteredColumn, showOnly } from "./filter.ts";

/** Texts that are listed; a search finds the others. */
const LISTED_MAX = 200;

export function FilterMenu(props: { readonly model: WorkbookModel; readonly column: FilteredColumn; readonly onClose: () => void }) {
  const { model, column: at } = props;
  const sheet = model.sheetId();
  const rows = { ...at.range, top: at.range.top + 1 };
  const [values] = createResource(() => model.session.ask({ type: "columnValues", sheet, range: rows, column: at.column }));
  const [hidden, setHidden] = createSignal<ReadonlySet<string>>();
  const [search, setSearch] = createSignal("");
  const isShown = (text: string): boolean => {
    const own = hidden();
    return own ? !own.has(text) : (at.shown?.includes(text) ?? true);
  };
  const found = createMemo(() => (values() ?? []).filter(({ text }) => text.toLowerCase().includes(search().toLowerCase())));
  const set = (texts: readonly string[], show: boolean): void => {
    const next = new Set((values() ?? []).map(({ text }) => text).filter((text) => !isShown(text)));
    texts.forEach((text) => (show ? next.delete(text) : next.add(text)));
    setHidden(next);
  };
  const apply = (): void => {
    const all = (values() ?? []).map(({ text }) => text);
    const shown = all.filter(isShown);
    showOnly(model, at, shown.length === all.length ? undefined : shown);
    props.onClose();
  };
  const sort = (descending: boolean): void => {
    model.command({ type: "sort", sheet, range: rangeName(at.range), keys: [{ column: at.column, descending }], hasHeader: true });
    props.onClose();
  };

  return (
    <div class="filter" role="dialog" aria-label={t("Filter")}>
      <button type="button" class="menu-item" onClick={() => sort(false)}>
        {t("Sort: {order}", { order: t("A → Z, 1 → 9") })}
      </button>
      <button type="button" class="menu-item" onClick={() => sort(true)}>
        {t("Sort: {order}", { order: t("Z → A, 9 → 1") })}
      </button>
      <input
        class="field"
        type="search"
        placeholder={t("Find")}
        aria-label={t("Find")}
        ref={(field) => queueMicrotask(() => field.focus())}
        value={search()}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <div class="filter-all">
        <button type="button" class="button is-quiet" onClick={() => set(found().map(({ text }) => text), true)}>
          {t("All")}
        </button>
        <button type="button" class="button is-quiet" onClick={() => set(found().map(({ text }) => text), false)}>
          {t("None")}
        </button>
      </div>
      <ul class="filter-values">
        <For each={found().slice(0, LISTED_MAX)}>
          {({ text }) => (
            <li>
              <label class="check">
                <input type="checkbox" checked={isShown(text)} onChange={(event) => set([text], event.currentTarget.checked)} />
                <Show when={text !== ""} fallback={<em>{t("Blank cells")}</em>}>
                  <span dir="auto">{text}</span>
                </Show>
              </label>
            </li>
          )}
        </For>
      </ul>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t("Cancel")}
        </button>
        <button type="button" class="button is-main" onClick={apply}>
          {t("Apply")}
        </button>
      </div>
    </div>
  );
}
