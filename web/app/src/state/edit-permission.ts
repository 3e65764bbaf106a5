/**
 * Edit permission of the workbook, with the reason when editing is disabled (loading, failed to
 * open, view-only).
 */

import { createMemo } from "solid-js";
import { t } from "../language/index.ts";
import type { EditPermission } from "../components/index.ts";
import { opensForViewing } from "../rooms/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";
import { type DialogName, DIALOGS_FOR_VIEWERS, type PanelName } from "../workbook/index.ts";
import { type ConnectionError, createConnectionError } from "../connection/index.ts";

/** The edit permission of one workbook. */
export class WorkbookEditPermission implements EditPermission {
  private readonly model: WorkbookModel;
  /** The error that keeps the workbook from opening. */
  readonly connectionError: () => ConnectionError | undefined;
  /** A memo, as every toolbar button reads it and the status changes twice with every edit. */
  readonly disabledReason: () => string | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.connectionError = createConnectionError(model);
    this.disabledReason = createMemo(() => {
      const { isReady, canEdit, canComment } = model.status();
      if (!isReady) {
        return this.connectionError()?.title ?? t("The workbook is still opening. You can edit it in a moment.");
      }
      if (canEdit) {
        return model.suggestions.isSwitchedOn() ? t("Only contents of cells can be suggested. Go back to editing for this.") : undefined;
      }
      return canComment ? t("You can comment on this workbook and suggest contents of cells but not edit it.") : t("You can view this workbook but not edit it.");
    });
  }

  readonly unavailableReason = (): string | undefined => (this.model.status().isReady ? undefined : this.disabledReason());

  readonly serverReason = (): string | undefined => {
    const error = this.connectionError();
    return error?.isUnreachable ? error.title : undefined;
  };

  readonly checkCanEdit = (): boolean => {
    const reason = this.disabledReason();
    if (reason === undefined) {
      return true;
    }
    const isOpening = !this.model.status().isReady && this.connectionError() === undefined;
    this.model.toast(reason, !isOpening, { icon: isOpening ? "clock" : "warning" });
    return false;
  };

  /** Whether the workbook is still opening, and may be editable then. */
  readonly canWaitForEditing = (): boolean => !this.model.status().isReady && this.connectionError() === undefined && !opensForViewing();

  readonly commentReason = (): string | undefined => (this.model.access.canComment() ? undefined : this.disabledReason());

  /** Whether a panel can be opened; if not, shows the reason. The history is for editors. */
  canOpenPanel(panel: PanelName): boolean {
    return panel !== "history" || this.model.access.limitedRole() === undefined || this.checkCanEdit();
  }

  /** Whether a dialog can be opened; if not, shows the reason. */
  canOpen(dialog: DialogName): boolean {
    return DIALOGS_FOR_VIEWERS.has(dialog) || this.checkCanEdit();
  }
}
