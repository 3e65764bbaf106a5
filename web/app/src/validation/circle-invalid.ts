/** Entries that break their rule, circled on this page. */

import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

export class InvalidCircles {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal(false);
  readonly isOn = this.signal[0];

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** On, it says how many there are on this sheet and goes to the first. */
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
    model.toast(first ? t("{count} entries on this sheet break their rule.", { count: total }) : t("All values on this sheet are valid."), first !== undefined);
  }
}
