/** One column's filter: sort by it, or choose which of its texts show. */

import { rangeName } from "@quadrille/grid";
import { createMemo, createResource, createSignal, For, Show } from "solid-js";
import { type Message, t } from "../../language/language.ts";
import type { WorkbookModel } from "../model.ts";
import { type FilteredColumn, showOnly, showWhere } from "./filter.ts";
import { textOf } from "./rules.ts";

const CONDITIONS: readonly (readonly [operator: string, name: Message])[] = [
  ["", "By values"],
  ["contains", "containing"],
  ["notContains", "not containing"],
  ["beginsWith", "beginning with"],
  ["endsWith", "ending with"],
  ["equal", "equal to"],
  ["notEqual", "not equal to"],
  ["greater", "greater than"],
  ["greaterOrEqual", "greater than or equal to"],
  ["less", "less than"],
  ["lessOrEqual", "less than or equal to"],
];

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
  const [operator, setOperator] = createSignal(textOf(at.item?.fields["operator"]));
  const [value, setValue] = createSignal(textOf(at.item?.fields["value1"]));
  const apply = (): void => {
    if (operator() !== "" && value() !== "") {
      showWhere(model, at, operator(), value());
      props.onClose();
      return;
    }
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
      <Show when={at.filter.kind === "autoFilter"}>
        <button type="button" class="menu-item" onClick={() => sort(false)}>
          {t("Sort: {order}", { order: t("A → Z, 1 → 9") })}
        </button>
        <button type="button" class="menu-item" onClick={() => sort(true)}>
          {t("Sort: {order}", { order: t("Z → A, 9 → 1") })}
        </button>
      </Show>
      <div class="filter-condition">
        <select class="field" aria-label={t("Condition")} onChange={(event) => setOperator(CONDITIONS[event.currentTarget.selectedIndex]?.[0] ?? "")}>
          <For each={CONDITIONS}>{([known, name]) => <option selected={operator() === known}>{t(name)}</option>}</For>
        </select>
        <Show when={operator() !== ""}>
          <input class="field" dir="auto" aria-label={t("Value")} value={value()} onInput={(event) => setValue(event.currentTarget.value)} />
        </Show>
      </div>
      <Show when={operator() === ""}>
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
        <button type="button" class="button is-quiet" disabled={!values()} onClick={() => set(found().map(({ text }) => text), true)}>
          {t("All")}
        </button>
        <button type="button" class="button is-quiet" disabled={!values()} onClick={() => set(found().map(({ text }) => text), false)}>
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
      </Show>
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
