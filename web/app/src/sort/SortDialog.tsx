/**
 * The dialog "Sort": sorts the selected rows, or the filled region around the active cell, by one
 * or more columns.
 */

import { isSingleCell, isWholeColumns, type Range, rangeName } from "@quadrille/grid";
import type { SortKey } from "@quadrille/protocol";
import { createResource, createSignal, For, Index, Show } from "solid-js";
import { Icon, Modal } from "../components/index.ts";
import { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "./column-headers.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";

const KEYS_MAX = 4;

/** The dialog "Sort". */
export function SortDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const { active } = model.selection();
  const [range] = createResource(() => model.dataRange());
  const [headers] = createResource(range, (cells) => headersOf(model, cells));
  const [hasHeader, setHasHeader] = createSignal(isSingleCell(model.selection()) || isWholeColumns(model.range));
  const [keys, setKeys] = createSignal<readonly SortKey[]>([{ column: active.column, descending: false }]);

  const columns = (cells: Range) =>
    Array.from(
      { length: Math.min(cells.right - cells.left + 1, COLUMNS_NAMED_MAX) },
      (_, index) => cells.left + index,
    );
  const change = (position: number, key: SortKey): void => {
    setKeys(keys().map((old, index) => (index === position ? key : old)));
  };
  /** The first column that is not a sort key yet. */
  const unsorted = (cells: Range): number =>
    columns(cells).find((column) => keys().every((key) => key.column !== column)) ?? cells.left;
  const sort = (cells: Range): void => {
    model.command({ type: "sort", sheet, range: rangeName(cells), keys: [...keys()], hasHeader: hasHeader() });
    model.closeDialog();
  };

  return (
    <Modal isOpen title={t("Sort")} onClose={() => model.closeDialog()}>
      <Show when={range()} fallback={<p>{t("Searching…")}</p>}>
        {(cells) => (
          <>
            <p class="sort-range">
              {t("Rows of {range}", { range: notation().range(cells()) })}
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
              {(key, index) => (
                <div class="sort-key">
                  <span>{index === 0 ? t("Sort by") : t("then by")}</span>
                  <select
                    class="field"
                    aria-label={index === 0 ? t("Sort by") : t("then by")}
                    onChange={(event) => change(index, { ...key(), column: Number(event.currentTarget.value) })}
                  >
                    <For each={columns(cells())}>
                      {(column) => (
                        <option value={column} selected={column === key().column}>
                          {columnLabel(hasHeader() ? headers.latest?.[column - cells().left] : undefined, column)}
                        </option>
                      )}
                    </For>
                  </select>
                  <select
                    class="field"
                    aria-label={t("Sort order")}
                    onChange={(event) => change(index, { ...key(), descending: event.currentTarget.value === "down" })}
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
                      aria-label={t("Remove sort column")}
                      onClick={() => setKeys(keys().filter((_, other) => other !== index))}
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
                onClick={() => setKeys([...keys(), { column: unsorted(cells()), descending: false }])}
              >
                <Icon name="plus" />
                {t("Add sort column")}
              </button>
            </Show>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => model.closeDialog()}>
                {t("Cancel")}
              </button>
              <button type="button" class="button is-main" onClick={() => sort(cells())}>
                {t("Sort")}
              </button>
            </div>
          </>
        )}
      </Show>
    </Modal>
  );
}
