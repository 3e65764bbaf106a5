/** Whether the workbook can be changed now, and why not: it is still being opened, cannot be, or is only to be looked at. */

import { createMemo } from "solid-js";
import { t } from "../language/language.ts";
import type { Changing } from "../components/edit-permission.ts";
import type { WorkbookModel } from "./workbook-model.ts";
import type { Dialog } from "./signals.ts";
import { createTrouble, type Trouble } from "../connection/connection-error.ts";

/** The dialogs in which somebody who may change nothing finds something. */
const ONLY_LOOK: ReadonlySet<Dialog> = new Set<Dialog>(["help", "copy", "language", "names", "print", "protection"]);

export class WorkbookChanging implements Changing {
  private readonly model: WorkbookModel;
  /** Why the workbook does not open. */
  readonly trouble: () => Trouble | undefined;
  /** A memo, as every tool reads it and the status changes twice with every edit. */
  readonly whyNot: () => string | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.trouble = createTrouble(model);
    this.whyNot = createMemo(() => {
      const { isReady, mayEdit } = model.status();
      if (!isReady) {
        return this.trouble()?.title ?? t("The workbook is still being opened. In a moment you can change it.");
      }
      return mayEdit ? undefined : t("You can look at this workbook, but not change it.");
    });
  }

  readonly whyNotThere = (): string | undefined => (this.model.status().isReady ? undefined : this.whyNot());

  readonly may = (): boolean => {
    const reason = this.whyNot();
    if (reason === undefined) {
      return true;
    }
    const isOpening = !this.model.status().isReady && this.trouble() === undefined;
    this.model.toast(reason, !isOpening, { icon: isOpening ? "clock" : "warning" });
    return false;
  };

  mayOpen(dialog: Dialog): boolean {
    return ONLY_LOOK.has(dialog) || this.may();
  }
}
