/** The dialog "Data table": fills the results of a what-if data table. */

import type { Cell } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { onlyCell } from "../references/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { DATA_TABLE_RESULTS_MAX, dataTableCommand, type DataTableProblem, dataTableProblem } from "./data-table.ts";

interface FieldErrors {
  readonly range?: string | undefined;
  readonly rowInput?: string | undefined;
  readonly columnInput?: string | undefined;
}

/** The error below a field. */
function errorsOf(problem: DataTableProblem): FieldErrors {
  switch (problem) {
    case "noResults":
      return { range: t("The range needs at least two rows and two columns.") };
    case "tooManyResults":
      return { range: t("A data table has at most {count} results.", { count: DATA_TABLE_RESULTS_MAX }) };
    case "noInput":
      return { rowInput: t("Enter an input cell for the row, the column or both.") };
    case "sameInputs":
      return { columnInput: t("Enter two different input cells.") };
    case "rowInputInTable":
      return { rowInput: t("Enter a cell outside the data table.") };
    case "columnInputInTable":
      return { columnInput: t("Enter a cell outside the data table.") };
  }
}

/** The dialog "Data table". */
export function DataTableDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const { active, ranges } = model.selection();
  const [range, setRange] = createSignal(ranges.slice(-1).map((selected) => notation().range(selected)).join(""));
  const [rowInput, setRowInput] = createSignal("");
  const [columnInput, setColumnInput] = createSignal("");
  const [errors, setErrors] = createSignal<FieldErrors>({});
  let form!: HTMLFormElement;

  const invalid = (text: string): string => (text.trim() === "" ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text }));
  const cellOf = (text: string): Cell | undefined => onlyCell(notation().parse(text.trim(), active));
  /** The error of an input cell, which may be missing. */
  const cellError = (text: string): string | undefined => (text.trim() === "" || cellOf(text) ? undefined : invalid(text));
  const create = (): void => {
    const area = notation().parse(range().trim(), active);
    const fieldErrors = { range: area ? undefined : invalid(range()), rowInput: cellError(rowInput()), columnInput: cellError(columnInput()) };
    const hasErrors = Object.values(fieldErrors).some((error) => error !== undefined);
    const table = area && !hasErrors ? { range: area, rowInput: cellOf(rowInput()), columnInput: cellOf(columnInput()) } : undefined;
    const problem = table && dataTableProblem(table);
    if (!table || problem) {
      setErrors(problem ? errorsOf(problem) : fieldErrors);
      focusInvalidField(form);
      return;
    }
    model.closeDialog();
    model.command(dataTableCommand(sheet, table));
  };
  const edit = (set: (text: string) => void, text: string): void => {
    set(text);
    setErrors({});
  };

  return (
    <Modal isOpen title={t("Data table")} onClose={() => model.closeDialog()}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <p class="form-hint">
          {t("Shows the results of formulas for different values of one or two cells. The first column or row has the values; the formulas are in the other one, or in the corner with two input cells.")}
        </p>
        <FormField label={t("Data range")} errorText={errors().range}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" required spellcheck={false} value={range()} onInput={(event) => edit(setRange, event.currentTarget.value)} />}
        </FormField>
        <FormField label={t("Row input cell")} errorText={errors().rowInput}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" spellcheck={false} value={rowInput()} onInput={(event) => edit(setRowInput, event.currentTarget.value)} />}
        </FormField>
        <FormField label={t("Column input cell")} errorText={errors().columnInput}>
          {(attributes) => <input {...attributes} class="field" dir="ltr" spellcheck={false} value={columnInput()} onInput={(event) => edit(setColumnInput, event.currentTarget.value)} />}
        </FormField>
        <DialogButtons label={t("Apply")} onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}
