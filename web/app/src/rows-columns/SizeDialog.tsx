/** The dialogs "Row height" and "Column width". */

import { type Dimension, SIZE_PX_MIN, SIZE_PX_MAX } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { DialogButtons, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { fitSizes } from "./fit-sizes.ts";
import { RowsAndColumns } from "./rows-columns.ts";

/** The dialog "Row height", for the selected rows. */
export function RowHeightDialog(props: { readonly model: WorkbookModel }) {
  return <SizeDialog model={props.model} dimension="rows" title={t("Row height")} label={t("Height in pixels")} />;
}

/** The dialog "Column width", for the selected columns. */
export function ColumnWidthDialog(props: { readonly model: WorkbookModel }) {
  return <SizeDialog model={props.model} dimension="columns" title={t("Column width")} label={t("Width in pixels")} />;
}

function SizeDialog(props: { readonly model: WorkbookModel; readonly dimension: Dimension; readonly title: string; readonly label: string }) {
  const { model, dimension } = props;
  const box = model.grid?.boxOfCell(model.selection().active);
  const sizePx = Math.round((dimension === "rows" ? (box?.height ?? 0) : (box?.width ?? 0)) / model.zoom());
  // That of a hidden row or column is zero.
  const shown = Math.max(sizePx, SIZE_PX_MIN);
  const [size, setSize] = createSignal(shown);
  const isValid = () => Number.isInteger(size()) && size() >= SIZE_PX_MIN && size() <= SIZE_PX_MAX;
  const close = (act: () => void): void => {
    model.closeDialog();
    act();
    model.focusCells();
  };
  const fit = (): void => {
    for (const { top, left, bottom, right } of model.selection().ranges) {
      const [first, last] = dimension === "rows" ? [top, bottom] : [left, right];
      fitSizes(model, dimension, first, last - first + 1);
    }
  };
  return (
    <Modal isOpen title={props.title} onClose={() => model.closeDialog()}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid()) {
            close(() => new RowsAndColumns(model).resize(dimension, size()));
          }
        }}
      >
        <label class="form-label">
          {props.label}
          <input
            class="field"
            type="number"
            min={SIZE_PX_MIN}
            max={SIZE_PX_MAX}
            value={shown}
            autofocus
            required
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => setSize(event.currentTarget.valueAsNumber)}
          />
        </label>
        <div class="form-pair">
          <button type="button" class="button" onClick={() => close(fit)}>
            {t("Fit to contents")}
          </button>
          <button type="button" class="button" onClick={() => close(() => new RowsAndColumns(model).resize(dimension, null))}>
            {t("Default|size of rows or columns")}
          </button>
        </div>
        <DialogButtons isDisabled={!isValid()} onCancel={() => model.closeDialog()} />
      </form>
    </Modal>
  );
}
