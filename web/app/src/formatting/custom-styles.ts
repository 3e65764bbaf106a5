/** Cell styles that people of this workbook have made: items of the workbook, so that everybody has them. */

import type { FormatChange, ItemDetails, ItemValue } from "@quadrille/protocol";
import { newItemId, type WorkbookModel } from "../state/index.ts";

export const STYLE_NAME_MAX = 100;
/** More than anybody looks through. */
export const STYLES_MAX = 200;

export interface CustomStyle {
  readonly id: number;
  readonly name: string;
  readonly format: FormatChange;
}

/** A style is the whole look of a cell: what it does not name is as in a new cell. */
const PLAIN: FormatChange = {
  numberFormat: null,
  bold: false,
  italic: false,
  underline: false,
  strikethrough: false,
  wrap: false,
  horizontal: null,
  vertical: null,
  textColor: null,
  fillColor: null,
  borderTop: null,
  borderRight: null,
  borderBottom: null,
  borderLeft: null,
  fontFamily: null,
  fontSize: null,
  indent: 0,
  rotation: 0,
  overflow: null,
};

export function fullFormat(format: FormatChange): FormatChange {
  return { ...PLAIN, ...format };
}

/** By name. Items come from the room, so what has no name or look is passed over. */
export function customStyles(items: readonly ItemDetails[]): readonly CustomStyle[] {
  const styles = items.flatMap(({ id, kind, fields }) => {
    const { name, format } = fields;
    const isStyle = kind === "cellStyle" && typeof name === "string" && name !== "" && isRecord(format);
    // The core has checked the record: its fields have the names and values of a cell's format.
    return isStyle ? [{ id, name, format: format as FormatChange }] : [];
  });
  return styles.sort((one, other) => one.name.localeCompare(other.name));
}

function isRecord(value: ItemValue | undefined): value is { readonly [key: string]: ItemValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export async function queryCustomStyles(model: WorkbookModel): Promise<readonly CustomStyle[]> {
  return customStyles(await model.session.query({ type: "items", sheet: null }));
}

/** The look of the active cell, as it is once everything done so far has been taken in. */
async function activeLook(model: WorkbookModel): Promise<Record<string, ItemValue>> {
  const { format } = await model.session.query({ type: "cell", sheet: model.sheetId(), cell: model.selection().active });
  return JSON.parse(JSON.stringify(format)) as Record<string, ItemValue>;
}

export async function addStyle(model: WorkbookModel, name: string): Promise<void> {
  const format = await activeLook(model);
  model.command({ type: "setItem", sheet: null, item: newItemId(), kind: "cellStyle", fields: { name: cleanName(name), format } });
}

export function renameStyle(model: WorkbookModel, style: CustomStyle, name: string): void {
  const clean = cleanName(name);
  if (clean !== "" && clean !== style.name) {
    model.command({ type: "setItem", sheet: null, item: style.id, fields: { name: clean } });
  }
}

/** From now on it gives the look of the active cell; cells that were given it before keep theirs. */
export async function redefineStyle(model: WorkbookModel, style: CustomStyle): Promise<void> {
  const format = await activeLook(model);
  model.command({ type: "setItem", sheet: null, item: style.id, fields: { format } });
}

export function removeStyle(model: WorkbookModel, style: CustomStyle): void {
  model.command({ type: "removeItem", sheet: null, item: style.id });
}

export function cleanName(name: string): string {
  return name.trim().slice(0, STYLE_NAME_MAX);
}
