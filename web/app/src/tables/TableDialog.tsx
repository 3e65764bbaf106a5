/** A table is made of cells, or the one under the active cell is changed. */

import { createResource, createSignal, createUniqueId, For, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { freeTableName, saveTable, settingsOf, TABLE_STYLES, tableAt, type TableErrors, type TableSettings } from "./tables.ts";

export function TableDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const table = tableAt(model, model.selection().active);
  const [known] = createResource(async () => settingsOf(table, await model.rangeToSort(), table ? "" : await freeTableName(model)));
  return (
    <Modal isOpen title={table ? t("Table") : t("Create table")} onClose={() => model.closeDialog()}>
      <Show when={known()} fallback={<p>{t("Looking for the cells…")}</p>}>
        {(settings) => <Settings model={model} table={table} settings={settings()} />}
      </Show>
    </Modal>
  );
}

function Settings(props: { readonly model: WorkbookModel; readonly table: ReturnType<typeof tableAt>; readonly settings: TableSettings }) {
  const { model, table, settings } = props;
  const [cells, setCells] = createSignal(notation().range(settings.range));
  const [name, setName] = createSignal(settings.name);
  const [hasHeader, setHasHeader] = createSignal(settings.hasHeader);
  const [hasBands, setHasBands] = createSignal(settings.hasBands);
  const [hasTotals, setHasTotals] = createSignal(settings.hasTotals);
  const [style, setStyle] = createSignal(settings.style);
  const [problems, setProblems] = createSignal<TableErrors>({});
  const totalsId = createUniqueId();
  let form!: HTMLFormElement;
  const refuse = (found: TableErrors): void => {
    setProblems(found);
    focusInvalidField(form);
  };
  const save = async (): Promise<void> => {
    const range = notation().parse(cells().trim(), model.selection().active);
    if (!range) {
      refuse({ cells: cells().trim() === "" ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: cells() }) });
      return;
    }
    const wanted = { range, name: name().trim(), hasHeader: hasHeader(), hasBands: hasBands(), hasTotals: hasTotals(), style: style() };
    const found = await saveTable(model, table, wanted);
    if (found) {
      refuse(found);
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
      <FormField label={t("Name|of cells")} errorText={problems().name}>
        {(marks) => <input {...marks} class="field" dir="auto" required value={name()} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />}
      </FormField>
      <FormField label={t("Cells")} errorText={problems().cells}>
        {(marks) => <input {...marks} class="field" dir="ltr" required value={cells()} spellcheck={false} onInput={(event) => setCells(event.currentTarget.value)} />}
      </FormField>
      <label class="check">
        <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
        {t("Header row")}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasBands()} onChange={(event) => setHasBands(event.currentTarget.checked)} />
        {t("Alternating colours")}
      </label>
      <div class="form-asked">
        <label class="check">
          <input
            type="checkbox"
            checked={hasTotals()}
            aria-invalid={problems().hasTotals !== undefined}
            aria-describedby={problems().hasTotals === undefined ? undefined : totalsId}
            onChange={(event) => setHasTotals(event.currentTarget.checked)}
          />
          {t("Total row")}
        </label>
        <Show when={problems().hasTotals}>
          <p class="form-problem" id={totalsId} role="alert">
            {problems().hasTotals}
          </p>
        </Show>
      </div>
      <fieldset class="table-styles">
        <legend>{t("Colour")}</legend>
        <For each={TABLE_STYLES}>
          {([known, color], index) => (
            <label class="table-style" style={{ "--table-color": color }}>
              <input type="radio" name="table-style" checked={style() === known} onChange={() => setStyle(known)} aria-label={t("Colour {number}", { number: String(index() + 1) })} />
            </label>
          )}
        </For>
      </fieldset>
      <p class="form-hint">
        {t("Formulas name its columns, for example {formula}. What is written in the row below joins it.", {
          formula: `=SUM(${name().trim() || "Table1"}[…])`,
        })}
      </p>
      <DialogButtons onCancel={() => model.closeDialog()}>
        <Show when={table}>
          {(own) => (
            <button
              type="button"
              class="button is-quiet"
              title={t("Formulas that name the table then show #NAME?")}
              onClick={() => {
                model.items.remove(own().id);
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
