/**
 * The mode in which edits become suggestions: switched on by a person who can edit, and always on
 * for commenters.
 */

import type { Command } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { isDashboard } from "../presentation/index.ts";
import { opensForViewing } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { withLaterParts } from "../workbook/index.ts";

/** The mode of one open workbook. */
export class SuggestionMode {
  private readonly model: WorkbookModel;
  private readonly switchSignal = createSignal(false);

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Whether edits become suggestions. */
  isOn(): boolean {
    const { canEdit, canComment } = this.model.status();
    return canEdit ? this.isSwitchedOn() : canComment && !opensForViewing();
  }

  /** Whether a person who can edit has switched the mode on. */
  isSwitchedOn(): boolean {
    return this.switchSignal[0]();
  }

  /** Switches the mode on or off. */
  switchTo(isOn: boolean): void {
    this.model.cellEdit.commit();
    this.switchSignal[1](isOn);
    this.model.focusCells();
  }

  /** Whether contents of cells can be changed, as an edit or as a suggestion. */
  canChange(): boolean {
    return this.model.canType() || (this.model.status().isReady && this.isOn());
  }

  /** Whether contents can be typed into the cells of the current sheet. */
  canEnter(): boolean {
    return this.canChange() && !isDashboard(this.model);
  }

  /** Whether contents can be typed into the cells of the current sheet; if not, shows the reason. */
  checkCanEnter(): boolean {
    if (this.canChange() && isDashboard(this.model)) {
      this.model.toast(t("This sheet is shown as a dashboard. To edit its cells, turn off Show as dashboard in the View menu."), false, { icon: "info" });
      return false;
    }
    return this.canChange() || this.model.checkCanEdit();
  }

  /** Sends the contents that a command would write as suggestions; shows a message if it has none. */
  suggest(command: Command): void {
    withLaterParts(this.model, ({ sendSuggestion }) => sendSuggestion(this.model, command));
  }
}
