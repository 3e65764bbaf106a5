/** What people do with checkboxes and with EtherCalc's form controls: choosing, ticking and pressing. */

import { type Cell, cellName, sameCell } from "@quadrille/grid";
import type { ItemValue } from "@quadrille/protocol";
import { roomFetch } from "../access/index.ts";
import { serverRefusal, t } from "../language/index.ts";
import { parseReference } from "../references/index.ts";
import { roomApi } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { validationAt } from "../validation/index.ts";
import { type ControlFormula, textArgument } from "./control-formula.ts";
import { controlAt, setValue } from "./controls.ts";

/** Choices of one list, at most. */
const CHOICES_MAX = 1_000;

/** Toggles a checkbox by its current value. Returns `false` if the cell has none. */
export async function toggleCheckbox(model: WorkbookModel, cell: Cell): Promise<boolean> {
  const sheet = model.sheetId();
  const [, details] = await Promise.all([model.items.settled(), model.session.query({ type: "cell", sheet, cell })]);
  const rule = validationAt(model, cell)?.fields;
  if (rule?.["rule"] !== "checkbox") {
    return toggleControl(model, cell);
  }
  if (details.editText.startsWith("=")) {
    model.toast(t("A formula calculates this checkbox. Edit the formula to change it."), true);
    return true;
  }
  const textOf = (value: ItemValue | undefined, otherwise: string): string =>
    value === undefined || value === null ? otherwise : String(value);
  const checked = textOf(rule["checkedValue"], "TRUE");
  const isChecked = details.editText.toUpperCase() === checked.toUpperCase();
  const text = isChecked ? textOf(rule["uncheckedValue"], "FALSE") : checked;
  model.command({ type: "typeText", sheet, cell: cellName(cell), text });
  return true;
}

/** Ticks or unticks the checkbox of a cell, or chooses its radio button. Returns `false` if there is none. */
async function toggleControl(model: WorkbookModel, cell: Cell): Promise<boolean> {
  const sheet = model.sheetId();
  const control = await controlAt(model, sheet, cell);
  switch (control?.name) {
    case "CHECKBOX": {
      const isChecked = model.grid?.markOf(cell)?.isChecked === true;
      model.command(setValue(sheet, cell, control, isChecked ? "FALSE" : "TRUE"));
      return true;
    }
    case "RADIOBUTTON": {
      const commands = (await radioGroup(model, sheet, control)).map((member) =>
        setValue(sheet, member.cell, member.control, sameCell(member.cell, cell) ? "TRUE" : "FALSE"),
      );
      model.command({ type: "many", commands });
      return true;
    }
    default:
      return false;
  }
}

/** The radio buttons of the sheet with the same group. */
async function radioGroup(model: WorkbookModel, sheet: number, control: ControlFormula): Promise<readonly { readonly cell: Cell; readonly control: ControlFormula }[]> {
  const search = { text: "RADIOBUTTON(", isPattern: false, matchesCase: false, wholeCell: false, inFormulas: true, sheet, range: null };
  const { cells } = await model.session.query({ type: "find", search });
  const members = await Promise.all(cells.map(async (cell) => ({ cell, control: await controlAt(model, sheet, cell) })));
  return members.flatMap(({ cell, control: member }) =>
    member?.name === "RADIOBUTTON" && member.arguments[1] === control.arguments[1] ? [{ cell, control: member }] : [],
  );
}

/** The values of a list: separated by commas, or those of cells, column by column. */
export async function choicesOfControl(model: WorkbookModel, control: ControlFormula): Promise<readonly string[]> {
  const [, source = ""] = control.arguments;
  const text = textArgument(source);
  if (text !== undefined) {
    return text.split(",").slice(0, CHOICES_MAX);
  }
  const reference = parseReference(source, model.sheets());
  if (!reference) {
    return [];
  }
  const { range, sheet = model.sheetId() } = reference;
  const { rows } = await model.session.query({ type: "cells", sheet, range, skipsFiltered: false });
  const columns = rows[0]?.cells.length ?? 0;
  const texts = Array.from({ length: columns }, (_, column) => rows.map(({ cells }) => cells[column]?.text ?? "")).flat();
  return texts.filter((choice) => choice !== "").slice(0, CHOICES_MAX);
}

/** Lets the server carry out the actions of a button; the changes arrive as those of others do. */
export async function pressButton(model: WorkbookModel, cell: Cell): Promise<void> {
  const sheet = encodeURIComponent(model.sheetName());
  const url = `${roomApi(model.room)}/sheets/${sheet}/buttons/${cellName(cell)}`;
  const response = await roomFetch(model.room, url, { method: "POST" }).catch(() => undefined);
  if (response?.ok) {
    const { collectedIn, messages } = (await response.json()) as { readonly collectedIn?: string; readonly messages?: number };
    if (collectedIn !== undefined) {
      model.toast(t("Your answers were sent."), false, { icon: "check" });
    }
    if (messages === 0) {
      model.toast(t("No e-mail was sent: there is no recipient, or the condition is not met."), false);
    } else if (messages !== undefined) {
      model.toast(t("The e-mail was sent."), false, { icon: "check" });
    }
    return;
  }
  const body = (await response?.json().catch(() => undefined)) as { error?: { code?: string; message?: string } } | undefined;
  const reason = serverRefusal(body?.error?.code ?? "") ?? body?.error?.message ?? "";
  model.toast(response ? t("The button could not be pressed ({reason}).", { reason }) : t("The server cannot be reached"), true);
}
