/** Accepting and rejecting suggestions. */

import type { Command } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { Suggestion } from "./suggestions.ts";

/** Accepts suggestions in one step, unless a proposed content violates data validation. */
export async function accept(model: WorkbookModel, suggestions: readonly Suggestion[]): Promise<void> {
  if (!model.status().canEdit) {
    model.checkCanEdit();
    return;
  }
  const command = forSheets("acceptSuggestions", suggestions);
  const broken = await model.session.query({ type: "brokenRule", command });
  const items = broken ? await model.session.query({ type: "items", sheet: broken.sheet }) : [];
  const strictness = items.find(({ id }) => id === broken?.item)?.fields["strictness"] ?? "stop";
  if (broken && strictness === "stop") {
    model.toast(t("The suggestion was not accepted: it violates the data validation of its cell."), true);
  } else {
    model.sendCommand(command);
  }
}

/** Rejects suggestions in one step; their authors withdraw them so. */
export function reject(model: WorkbookModel, suggestions: readonly Suggestion[]): void {
  model.access.comment(forSheets("rejectSuggestions", suggestions));
}

/** Whether the person may reject a suggestion: editors all, commenters their own. */
export function canReject(model: WorkbookModel, { authorId }: Suggestion): boolean {
  const account = model.access.identification.person()?.account ?? "";
  return model.status().canEdit || (model.access.canComment() && (authorId === "" || authorId === account));
}

function forSheets(type: "acceptSuggestions" | "rejectSuggestions", suggestions: readonly Suggestion[]): Command {
  const sheets = [...new Set(suggestions.map(({ sheet }) => sheet))];
  return {
    type: "many",
    commands: sheets.map((sheet) => ({ type, sheet, items: suggestions.filter((one) => one.sheet === sheet).map(({ id }) => id) })),
  };
}
