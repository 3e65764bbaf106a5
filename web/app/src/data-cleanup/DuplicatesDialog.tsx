/** Removing rows that repeat an earlier one, after saying how many they are. */

import { isSingleCell, isWholeColumns, type Range, rangeName } from "@quadrille/grid";
import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { columnLabel, COLUMNS_NAMED_MAX, headersOf } from "../sort/index.ts";
import { notation } from "../settings/index.ts";

export function DuplicatesDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const [range] = createResource(() => model.rangeToSort());
  const [headers] = createResource(range, (found) => headersOf(model, found));
  const [hasHeader, setHasHeader] = createSignal(isSingleCell(model.selection()) || isWholeColumns(model.range));
  const [left, setLeft] = createSignal<ReadonlySet<number>>(new Set<number>());

  const columnsOf = (found: Range) => Array.from({ length: found.right - found.left + 1 }, (_, index) => found.left + index);
  const columns = (found: Range) => columnsOf(found).filter((column) => !left().has(column));
  const asked = () => {
    const found = range();
    return found && { range: found, columns: columns(found), hasHeader: hasHeader() };
  };
  const [count] = createResource(asked, (question) =>
    question.columns.length === 0
      ? Promise.resolve(0)
      : model.session.query({ type: "duplicates", sheet, ...question, columns: [...question.columns] }),
  );
  const remove = (found: Range): void => {
    const removed = count() ?? 0;
    model.command({
      type: "removeDuplicates",
      sheet,
      range: rangeName(found),
      columns: columns(found),
      hasHeader: hasHeader(),
    });
    model.closeDialog();
    model.toast(t("{count} repeated rows removed.", { count: removed }), false);
  };
  const label = (found: Range, column: number): string => {
    return columnLabel(hasHeader() ? headers.latest?.[column - found.left] : undefined, column);
  };

  return (
    <Modal isOpen title={t("Remove duplicates")} onClose={() => model.closeDialog()}>
      <Show when={range()} fallback={<p>{t("Looking for the cells…")}</p>}>
        {(found) => (
          <>
            <p class="sort-range">{t("Rows of {range}", { range: notation().range(found()) })}</p>
            <label class="check">
              <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
              {t("Header row")}
            </label>
            <fieldset class="choices">
              <legend>{t("Columns to analyse")}</legend>
              {/* Within it, as a fieldset that scrolls does not show where it goes on. */}
              <div class="choices-list">
                {/* Those beyond are compared as well, but not listed. */}
                <For each={columnsOf(found()).slice(0, COLUMNS_NAMED_MAX)}>
                  {(column) => (
                    <label class="check">
                      <input
                        type="checkbox"
                        checked={!left().has(column)}
                        onChange={(event) => {
                          const next = new Set(left());
                          if (event.currentTarget.checked) {
                            next.delete(column);
                          } else {
                            next.add(column);
                          }
                          setLeft(next);
                        }}
                      />
                      {label(found(), column)}
                    </label>
                  )}
                </For>
              </div>
            </fieldset>
            <p role="status">{count.latest === 0 ? t("No duplicates found.") : t("{count} rows repeat an earlier one.", { count: count.latest ?? 0 })}</p>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => model.closeDialog()}>
                {t("Cancel")}
              </button>
              <button type="button" class="button is-main" disabled={(count.latest ?? 0) === 0} onClick={() => remove(found())}>
                {t("Remove")}
              </button>
            </div>
          </>
        )}
      </Show>
    </Modal>
  );
}
