/** The dialog "Remove duplicates", which shows the number of duplicate rows first. */

import { isSingleCell, isWholeColumns, type Range, rangeName } from "@quadrille/grid";
import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "../sort/index.ts";
import { notation } from "../settings/index.ts";

/** The dialog "Remove duplicates". */
export function DuplicatesDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const [range] = createResource(() => model.dataRange());
  const [headers] = createResource(range, (cells) => headersOf(model, cells));
  const [hasHeader, setHasHeader] = createSignal(isSingleCell(model.selection()) || isWholeColumns(model.range));
  const [excluded, setExcluded] = createSignal<ReadonlySet<number>>(new Set<number>());

  const columnsOf = (cells: Range) => Array.from({ length: cells.right - cells.left + 1 }, (_, index) => cells.left + index);
  const columns = (cells: Range) => columnsOf(cells).filter((column) => !excluded().has(column));
  const question = () => {
    const cells = range();
    return cells && { range: cells, columns: columns(cells), hasHeader: hasHeader() };
  };
  const [count] = createResource(question, (parameters) =>
    parameters.columns.length === 0
      ? Promise.resolve(0)
      : model.session.query({ type: "duplicates", sheet, ...parameters, columns: [...parameters.columns] }),
  );
  const remove = (cells: Range): void => {
    const removed = count() ?? 0;
    model.command({
      type: "removeDuplicates",
      sheet,
      range: rangeName(cells),
      columns: columns(cells),
      hasHeader: hasHeader(),
    });
    model.closeDialog();
    model.toast(t("{count} duplicate rows removed.", { count: removed }), false);
  };
  const label = (cells: Range, column: number): string => {
    return columnLabel(hasHeader() ? headers.latest?.[column - cells.left] : undefined, column);
  };

  return (
    <Modal isOpen title={t("Remove duplicates")} onClose={() => model.closeDialog()}>
      <Show when={range()} fallback={<p>{t("Searching…")}</p>}>
        {(cells) => (
          <>
            <p class="sort-range">{t("Rows of {range}", { range: notation().range(cells()) })}</p>
            <label class="check">
              <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
              {t("Header row")}
            </label>
            <fieldset class="choices">
              <legend>{t("Columns to analyse")}</legend>
              {/* Inside of the fieldset, as a scrolling fieldset does not show that it has more
                  content. */}
              <div class="choices-list">
                {/* Further columns are compared, but not listed. */}
                <For each={columnsOf(cells()).slice(0, COLUMNS_NAMED_MAX)}>
                  {(column) => (
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={!excluded().has(column)}
                        onChange={(event) => {
                          const next = new Set(excluded());
                          if (event.currentTarget.checked) {
                            next.delete(column);
                          } else {
                            next.add(column);
                          }
                          setExcluded(next);
                        }}
                      />
                      {label(cells(), column)}
                    </label>
                  )}
                </For>
              </div>
            </fieldset>
            <p role="status">{count.latest === 0 ? t("No duplicates found.") : t("{count} duplicate rows found.", { count: count.latest ?? 0 })}</p>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => model.closeDialog()}>
                {t("Cancel")}
              </button>
              <button type="button" class="button is-main" disabled={(count.latest ?? 0) === 0} onClick={() => remove(cells())}>
                {t("Remove")}
              </button>
            </div>
          </>
        )}
      </Show>
    </Modal>
  );
}
