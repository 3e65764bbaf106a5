/** Whether the workbook can be changed now, and why not: it is still being opened, cannot be, or is only to be looked at. */

import { createMemo } from "solid-js";
import { t } from "../language/index.ts";
import type { EditPermission } from "../components/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";
import { type DialogName, DIALOGS } from "../workbook/index.ts";
import { type ConnectionError, createConnectionError } from "../connection/index.ts";

export class WorkbookEditPermission implements EditPermission {
  private readonly model: WorkbookModel;
  /** Why the workbook does not open. */
  readonly connectionError: () => ConnectionError | undefined;
  /** A memo, as every tool reads it and the status changes twice with every edit. */
  readonly disabledReason: () => string | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.connectionError = createConnectionError(model);
    this.disabledReason = createMemo(() => {
      const { isReady, canEdit } = model.status();
      if (!isReady) {
        return this.connectionError()?.title ?? t("The workbook is still opening. You can edit it in a moment.");
      }
      return canEdit ? undefined : t("You can view this workbook but not edit it.");
    });
  }

  readonly unavailableReason = (): string | undefined => (this.model.status().isReady ? undefined : this.disabledReason());

  readonly checkCanEdit = (): boolean => {
    const reason = this.disabledReason();
    if (reason === undefined) {
      return true;
    }
    const isOpening = !this.model.status().isReady && this.connectionError() === undefined;
    this.model.toast(reason, !isOpening, { icon: isOpening ? "clock" : "warning" });
    return false;
  };

  canOpen(dialog: DialogName): boolean {
    return DIALOGS[dialog].isForViewers === true || this.checkCanEdit();
  }
}
