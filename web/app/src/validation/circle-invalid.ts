/** The command "Circle invalid data". */

import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Whether invalid values are circled on this page. */
class InvalidCircles {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal(false);
  readonly isOn = this.signal[0];

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /**
   * Switches the circles on or off. Switching on reports the number of invalid cells and selects
   * the first.
   */
  async toggle(): Promise<void> {
    const { model } = this;
    const isOn = !this.isOn();
    this.signal[1](isOn);
    model.grid?.setCirclesInvalid(isOn);
    model.focusCells();
    if (!isOn) {
      return;
    }
    const sheet = model.sheetId();
    const { total, cells } = await model.session.query({ type: "invalidCells", sheet });
    const [first] = cells;
    if (first && sheet === model.sheet()) {
      model.reveal(first);
    }
    model.toast(first ? t("{count} cells on this sheet contain invalid data.", { count: total }) : t("All values on this sheet are valid."), first !== undefined);
  }
}

const invalidCirclesOfModels = new WeakMap<WorkbookModel, InvalidCircles>();

/** The circles of an open workbook. */
export function invalidCircles(model: WorkbookModel): InvalidCircles {
  const known = invalidCirclesOfModels.get(model) ?? new InvalidCircles(model);
  invalidCirclesOfModels.set(model, known);
  return known;
}
