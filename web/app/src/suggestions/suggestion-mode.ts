/**
 * The mode in which edits become suggestions: switched on by a person who can edit, and always on
 * for commenters.
 */

import type { Command, ItemValue } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import { isDashboard } from "../presentation/index.ts";
import { opensForViewing } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The mode of one open workbook. */
export class SuggestionMode {
  private readonly model: WorkbookModel;
  private readonly switchSignal = createSignal(false);
  private hasExplained = false;

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
    const contents = this.model.status().isReady ? contentsOf(command) : undefined;
    if (!contents) {
      this.model.checkCanEdit();
      return;
    }
    const account = this.model.access.identification.person()?.account ?? "";
    const fields: Record<string, ItemValue> = { author: this.model.identity().name, time: Date.now() };
    this.model.sendCommand({ type: "suggest", command: contents, fields: account === "" ? fields : { ...fields, authorId: account } });
    if (!this.hasExplained && !this.isSwitchedOn()) {
      this.hasExplained = true;
      this.model.toast(t("What you enter is a suggestion. Editors can accept it."), false, { icon: "info" });
    }
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
