/** Sends what a command would write as suggestions. */

import type { Command, ItemValue } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Workbooks whose user has been told that entries are suggestions. */
const explained = new WeakSet<WorkbookModel>();

/** Sends the contents that a command would write as suggestions; shows a message if it has none. */
export function sendSuggestion(model: WorkbookModel, command: Command): void {
  const contents = model.status().isReady ? contentsOf(command) : undefined;
  if (!contents) {
    model.checkCanEdit();
    return;
  }
  const account = model.access.identification.person()?.account ?? "";
  const fields: Record<string, ItemValue> = { author: model.identity().name, time: Date.now() };
  model.sendCommand({ type: "suggest", command: contents, fields: account === "" ? fields : { ...fields, authorId: account } });
  if (!explained.has(model) && !model.suggestions.isSwitchedOn()) {
    explained.add(model);
    model.toast(t("What you enter is a suggestion. Editors can accept it."), false, { icon: "info" });
  }
}

/** The part of a command that writes contents; `undefined` if there is none. */
function contentsOf(command: Command): Command | undefined {
  switch (command.type) {
    case "typeText":
    case "typeTexts":
    case "typeEverywhere":
    case "setCells":
    case "pasteText":
    case "fill":
    case "fillDown":
    case "fillRight":
      return command;
    case "clear":
      return command.what === "formats" ? undefined : { ...command, what: "contents" };
    case "copyPaste":
      return command.what === "formats" ? undefined : command.what === "all" ? { ...command, what: "contents" } : command;
    case "many": {
      const commands = command.commands.flatMap((one) => contentsOf(one) ?? []);
      return commands.length > 0 ? { type: "many", commands } : undefined;
    }
    case "inSight": {
      const contents = contentsOf(command.command);
      return contents && { ...command, command: contents };
    }
    default:
      return undefined;
  }
}
