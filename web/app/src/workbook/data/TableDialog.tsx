/** A table is made of cells, or the one under the active cell is changed. */

import { createResource, createSignal, For, Show } from "solid-js";
import { t } from "../../language/language.ts";
import { ApplyButtons } from "../../parts/ApplyButtons.tsx";
import { Modal } from "../../parts/Modal.tsx";
import type { WorkbookModel } from "../model.ts";
import { notation } from "../notation.ts";
import { freeTableName, saveTable, settingsOf, TABLE_STYLES, tableAt, type TableSettings } from "./tables.ts";

export function TableDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const table = tableAt(model, model.selection().active);
  const [known] = createResource(async () => settingsOf(table, await model.rangeToSort(), table ? "" : await freeTableName(model)));
  return (
    <Modal isOpen title={table ? t("Table") : t("Make a table")} onClose={() => model.closeDialog()}>
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
  const [problem, setProblem] = createSignal<string>();
  const save = async (): Promise<void> => {
    const range = notation().parse(cells().trim(), model.selection().active);
    if (!range) {
      setProblem(t("These are not cells: {text}", { text: cells() }));
      return;
    }
    const wanted = { range, name: name().trim(), hasHeader: hasHeader(), hasBands: hasBands(), hasTotals: hasTotals(), style: style() };
    const found = await saveTable(model, table, wanted);
    setProblem(found);
    if (found === undefined) {
      model.closeDialog();
    }
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <label class="form-line">
        {t("Name|of cells")}
        <input class="field" dir="auto" required value={name()} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="form-line">
        {t("Cells")}
        <input class="field" dir="ltr" required value={cells()} spellcheck={false} onInput={(event) => setCells(event.currentTarget.value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked={hasHeader()} onChange={(event) => setHasHeader(event.currentTarget.checked)} />
        {t("The first row is a header")}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasBands()} onChange={(event) => setHasBands(event.currentTarget.checked)} />
        {t("Alternating rows")}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasTotals()} onChange={(event) => setHasTotals(event.currentTarget.checked)} />
        {t("A row of totals below")}
      </label>
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
      <Show when={problem()}>
        <p class="form-problem" role="alert">
          {problem()}
        </p>
      </Show>
      <ApplyButtons onCancel={() => model.closeDialog()}>
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
              {t("Turn into plain cells")}
            </button>
          )}
        </Show>
      </ApplyButtons>
    </form>
  );
}
