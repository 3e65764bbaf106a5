/** The form controls of EtherCalc: finding them, and typing into them. */

import { A1 } from "@quadrille/editor";
import { type Cell, cellName } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { type ControlFormula, controlFormula, withValue } from "./control-formula.ts";

/** The control of a cell; `undefined` when its content is something else. */
export async function controlAt(model: WorkbookModel, sheet: number, cell: Cell): Promise<ControlFormula | undefined> {
  const { editText } = await model.session.query({ type: "cell", sheet, cell });
  return controlFormula(editText, A1);
}

/** The command that gives a control another value. */
export function setValue(sheet: number, cell: Cell, control: ControlFormula, value: string): Command {
  return { type: "typeText", sheet, cell: cellName(cell), text: withValue(control, value) };
}

/** Enters a value that was typed over the control of a cell. */
export async function enterValue(model: WorkbookModel, sheet: number, cell: Cell, text: string): Promise<void> {
  const control = await controlAt(model, sheet, cell);
  model.command(control ? setValue(sheet, cell, control, text) : { type: "typeText", sheet, cell: cellName(cell), text });
}
