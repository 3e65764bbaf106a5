/** The dialog "Column type" of a column of a table. */

import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import { displayedRanges } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { rangeName, type Range } from "@quadrille/grid";
import { COLUMN_TYPES, columnAt, type ColumnType, setColumnType, typeOfColumn } from "./column-types.ts";

/** The dialog "Column type". */
export function ColumnTypeDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const column = columnAt(model, model.selection().active);
  const [type] = createResource(async () => (column ? typeOfColumn(model, column) : "automatic"));
  return (
    <Modal isOpen title={t("Column type")} onClose={() => model.closeDialog()}>
      <Show when={column} fallback={<p>{t("Select a cell of a table first.")}</p>}>
        {(range) => (
          <Show when={type()} fallback={<p>{t("Searching…")}</p>}>
            {(known) => <TypeForm model={model} column={range()} type={known()} />}
          </Show>
        )}
      </Show>
    </Modal>
  );
}

function TypeForm(props: { readonly model: WorkbookModel; readonly column: Range; readonly type: ColumnType }) {
  const { model, column } = props;
  const [type, setType] = createSignal(props.type);
  const save = async (): Promise<void> => {
    if (type() !== props.type) {
      await setColumnType(model, column, type());
    }
    model.closeDialog();
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p class="sort-range">{displayedRanges([rangeName(column)])}</p>
      <fieldset class="choices">
        <legend>{t("Type")}</legend>
        <For each={COLUMN_TYPES}>
          {([value, name]) => (
            <label class="check">
              <input type="radio" name="column-type" checked={type() === value} onChange={() => setType(value)} />
              {t(name)}
            </label>
          )}
        </For>
      </fieldset>
      <p class="form-hint">{t("New rows of the table get the type too. It replaces the number format and the data validation of the column.")}</p>
      <DialogButtons onCancel={() => model.closeDialog()} />
    </form>
  );
}
