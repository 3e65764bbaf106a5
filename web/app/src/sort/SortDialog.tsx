/** Sorting the selected rows, or the filled block round the active cell, by one or more columns. */

import { isSingleCell, isWholeColumns, type Range, rangeName } from "@quadrille/grid";
import type { SortKey } from "@quadrille/protocol";
import { createResource, createSignal, For, Index, Show } from "solid-js";
import { Icon, Modal } from "../components/index.ts";
import { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "./column-headers.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

const KEYS_MAX = 4;

export function SortDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const { active } = model.selection();
  const [range] = createResource(() => model.rangeToSort());
  const [headers] = createResource(range, (found) => headersOf(model, found));
  const [hasHeader, setHasHeader] = createSignal(isSingleCell(model.selection()) || isWholeColumns(model.range));
  const [keys, setKeys] = createSignal<readonly SortKey[]>([{ column: active.column, descending: false }]);

  const columns = (found: Range) =>
    Array.from(
      { length: Math.min(found.right - found.left + 1, COLUMNS_NAMED_MAX) },
      (_, index) => found.left + index,
    );
  const change = (at: number, key: SortKey): void => {
    setKeys(keys().map((old, index) => (index === at ? key : old)));
  };
  /** The first column that is no key yet. */
  const unsorted = (found: Range): number =>
    columns(found).find((column) => keys().every((key) => key.column !== column)) ?? found.left;
  const sort = (found: Range): void => {
    model.command({ type: "sort", sheet, range: rangeName(found), keys: [...keys()], hasHeader: hasHeader() });
    model.closeDialog();
  };

  return (
    <Modal isOpen title={t("Sort")} onClose={() => model.closeDialog()}>
      <Show when={range()} fallback={<p>{t("Looking for the cells…")}</p>}>
        {(found) => (
          <>
            <p class="sort-range">
              {t("Rows of {range}", { range: notation().range(found()) })}
            </p>
            <label class="check">
              <input
                type="checkbox"
                checked={hasHeader()}
                onChange={(event) => setHasHeader(event.currentTarget.checked)}
              />
              {t("Header row")}
            </label>
            <Index each={keys()}>
              {(key, at) => (
                <div class="sort-key">
                  <span>{at === 0 ? t("Sort by") : t("then by")}</span>
                  <select
                    class="field"
                    aria-label={at === 0 ? t("Sort by") : t("then by")}
                    onChange={(event) => change(at, { ...key(), column: Number(event.currentTarget.value) })}
                  >
                    <For each={columns(found())}>
                      {(column) => (
                        <option value={column} selected={column === key().column}>
                          {columnLabel(hasHeader() ? headers.latest?.[column - found().left] : undefined, column)}
                        </option>
                      )}
                    </For>
                  </select>
                  <select
                    class="field"
                    aria-label={t("Order")}
                    onChange={(event) => change(at, { ...key(), descending: event.currentTarget.value === "down" })}
                  >
                    <option value="up" selected={!key().descending}>
                      {t("A → Z, 1 → 9")}
                    </option>
                    <option value="down" selected={key().descending}>
                      {t("Z → A, 9 → 1")}
                    </option>
                  </select>
                  <Show when={keys().length > 1}>
                    <button
                      type="button"
                      class="tool is-small"
                      aria-label={t("Remove this key")}
                      onClick={() => setKeys(keys().filter((_, index) => index !== at))}
                    >
                      <Icon name="close" />
                    </button>
                  </Show>
                </div>
              )}
            </Index>
            <Show when={keys().length < KEYS_MAX}>
              <button
                type="button"
                class="button is-quiet"
                onClick={() => setKeys([...keys(), { column: unsorted(found()), descending: false }])}
              >
                <Icon name="plus" />
                {t("Another column")}
              </button>
            </Show>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => model.closeDialog()}>
                {t("Cancel")}
              </button>
              <button type="button" class="button is-main" onClick={() => sort(found())}>
                {t("Sort")}
              </button>
            </div>
          </>
        )}
      </Show>
    </Modal>
  );
}
