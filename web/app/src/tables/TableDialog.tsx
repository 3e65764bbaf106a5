/** The dialog "Table": creates a table, or changes the one at the active cell. */

import { createResource, createSignal, createUniqueId, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { functionName, notation } from "../settings/index.ts";
import { convertToRange, freeTableName, saveTable, settingsOf, TABLE_STYLES, tableAt, type TableErrors, type TableSettings } from "./tables.ts";

/** The dialog "Table". */
export function TableDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const table = tableAt(model, model.selection().active);
  const [initialSettings] = createResource(async () => settingsOf(table, await model.dataRange(), table ? "" : await freeTableName(model)));
  return (
    <Modal isOpen title={table ? t("Table") : t("Create table")} onClose={() => model.closeDialog()}>
      <Show when={initialSettings()} fallback={<p>{t("Searching…")}</p>}>
        {(settings) => <SettingsForm model={model} table={table} settings={settings()} />}
      </Show>
    </Modal>
  );
}

function SettingsForm(props: { readonly model: WorkbookModel; readonly table: ReturnType<typeof tableAt>; readonly settings: TableSettings }) {
  const { model, table, settings } = props;
  const [cells, setCells] = createSignal(notation().range(settings.range));
  const [name, setName] = createSignal(settings.name);
  const [hasHeader, setHasHeader] = createSignal(settings.hasHeader);
  const [hasBands, setHasBands] = createSignal(settings.hasBands);
  const [hasTotals, setHasTotals] = createSignal(settings.hasTotals);
  const [style, setStyle] = createSignal(settings.style);
  const [errors, setErrors] = createSignal<TableErrors>({});
  const totalsId = createUniqueId();
  let form!: HTMLFormElement;
  const showErrors = (tableErrors: TableErrors): void => {
    setErrors(tableErrors);
    focusInvalidField(form);
  };
  const save = async (): Promise<void> => {
    const range = notation().parse(cells().trim(), model.selection().active);
    if (!range) {
      showErrors({ cells: cells().trim() === "" ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: cells() }) });
      return;
    }
    const edited = { range, name: name().trim(), hasHeader: hasHeader(), hasBands: hasBands(), hasTotals: hasTotals(), style: style() };
    const tableErrors = await saveTable(model, table, edited);
    if (tableErrors) {
      showErrors(tableErrors);
    } else {
      model.closeDialog();
    }
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FormField label={t("Name|of cells")} errorText={errors().name}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required value={name()} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />}
      </FormField>
      <FormField label={t("Cells")} errorText={errors().cells}>
        {(attributes) => <input {...attributes} class="field" dir="ltr" required value={cells()} spellcheck={false} onInput={(event) => setCells(event.currentTarget.value)} />}
      </FormField>
      <label class="check">
        <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
        {t("Header row")}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasBands()} onChange={(event) => setHasBands(event.currentTarget.checked)} />
        {t("Alternating colours")}
      </label>
      <div class="form-field">
        <label class="check">
          <input
            type="checkbox"
            checked={hasTotals()}
            aria-invalid={errors().hasTotals !== undefined}
            aria-describedby={errors().hasTotals === undefined ? undefined : totalsId}
            onChange={(event) => setHasTotals(event.currentTarget.checked)}
          />
          {t("Total row")}
        </label>
        <Show when={errors().hasTotals}>
          <p class="form-error" id={totalsId} role="alert">
            {errors().hasTotals}
          </p>
        </Show>
      </div>
      <fieldset class="table-styles">
        <legend>{t("Colour")}</legend>
        <For each={TABLE_STYLES}>
          {([styleName, color], index) => (
            <label class="table-style" style={{ "--table-color": color }}>
              <input type="radio" name="table-style" checked={style() === styleName} onChange={() => setStyle(styleName)} aria-label={t("Colour {number}", { number: String(index() + 1) })} />
            </label>
          )}
        </For>
      </fieldset>
      <p class="form-hint">
        {t("Use column names in formulas, for example {formula}. Rows typed below the table are added to it.", {
          formula: `=${functionName("SUM")}(${name().trim() || "Table1"}[…])`,
        })}
      </p>
      <DialogButtons onCancel={() => model.closeDialog()}>
        <Show when={table}>
          {(existing) => (
            <button
              type="button"
              class="button is-quiet"
              title={t("Formulas that refer to the table will show #NAME?")}
              onClick={() => {
                void convertToRange(model, existing());
                model.closeDialog();
              }}
            >
              {t("Convert to range")}
            </button>
          )}
        </Show>
      </DialogButtons>
    </form>
  );
}
