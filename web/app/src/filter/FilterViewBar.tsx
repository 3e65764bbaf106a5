/** The bar above the sheet while a filter view is open: its name, and a button that closes it. */

import { columnName } from "@quadrille/grid";
import { createEffect, createMemo, on, onCleanup, Show, untrack } from "solid-js";
import { t } from "../language/index.ts";
import { Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { filterViews, viewName } from "./filter-views.ts";
import { sortKeys, ViewOrder } from "./sorted-view.ts";

/** The bar of the open filter view. */
export function FilterViewBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const views = filterViews(model);
  const order = new ViewOrder(model);
  const subscription = new AbortController();
  onCleanup(() => subscription.abort());
  model.onNotice((notice) => notice.type === "moved" && order.moved(notice), subscription.signal);
  const isReady = createMemo(() => model.status().isReady);
  createEffect(() => isReady() && untrack(() => views.restore()));
  // A memo, so that an update with the same name does not overwrite the text being typed.
  const name = createMemo(() => {
    const view = views.current();
    return view ? viewName(view) : "";
  });
  const source = createMemo(() => order.source());
  createEffect(on(source, () => void order.refresh()));
  const sortedBy = (): string => {
    const view = views.current();
    const keys = view ? sortKeys(model, view) : [];
    return keys.map(({ column, descending }) => `${columnName(column)} ${descending ? "↓" : "↑"}`).join(", ");
  };
  return (
    <Show when={views.current()}>
      {(view) => (
        <section class="view-bar" aria-label={t("Filter view")}>
          <Icon name="filter" />
          <Show when={model.canType()} fallback={<strong dir="auto">{name()}</strong>}>
            <input
              class="field"
              dir="auto"
              maxLength={100}
              aria-label={t("Filter view name")}
              value={name()}
              onKeyDown={(event) => {
                if (event.key === "Enter" && !event.isComposing) {
                  // The cells must not handle this key.
                  event.preventDefault();
                  model.focusCells();
                }
              }}
              onChange={(event) => views.rename(view(), event.currentTarget.value)}
            />
          </Show>
          <span class="view-range" dir="ltr">
            {view().anchors.join(" ")}
          </span>
          <Show when={sortedBy()}>
            {(columns) => (
              <>
                <span class="view-sort">{t("Sorted by {columns}", { columns: columns() })}</span>
                <button type="button" class="button is-quiet" title={t("Moves edited rows to their places")} onClick={() => order.sortAgain()}>
                  {t("Sort again")}
                </button>
              </>
            )}
          </Show>
          <span class="view-note">{t("Only people who open this view see it.")}</span>
          <span class="view-buttons">
            <Show when={model.canType()}>
              <button type="button" class="button is-quiet" onClick={() => views.remove(view())}>
                {t("Delete view")}
              </button>
            </Show>
            <button type="button" class="tool" aria-label={t("Close filter view")} onClick={() => views.close()}>
              <Icon name="close" />
            </button>
          </span>
        </section>
      )}
    </Show>
  );
}
