/** Cell styles as items of the workbook, so that everybody has them and cells follow them. */

import { rangeName, rangeOf } from "@quadrille/grid";
import type { Command, FormatChange, ItemDetails, ItemValue } from "@quadrille/protocol";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import type { BuiltinStyle } from "./cell-styles.ts";

/** Length limit of a style name. */
export const STYLE_NAME_MAX = 100;
/** Limit on the number of custom styles. */
export const STYLES_MAX = 200;

/** A cell style of the workbook: a custom style, or a built-in one that has been applied. */
export interface CustomStyle {
  readonly id: number;
  readonly name: string;
  readonly format: FormatChange;
}

/** The styles sorted by name. Items without name or format are ignored. */
export function customStyles(items: readonly ItemDetails[]): readonly CustomStyle[] {
  const styles = items.flatMap(({ id, kind, fields }) => {
    const { name, format } = fields;
    const isStyle = kind === "cellStyle" && typeof name === "string" && name !== "" && isRecord(format);
    // The engine has validated the record against the schema of formats.
    return isStyle ? [{ id, name, format: format as FormatChange }] : [];
  });
  return styles.sort((one, other) => one.name.localeCompare(other.name));
}

function isRecord(value: ItemValue | undefined): value is { readonly [key: string]: ItemValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Queries the styles of the workbook. */
export async function queryStyles(model: WorkbookModel): Promise<readonly CustomStyle[]> {
  return customStyles(await model.session.query({ type: "items", sheet: null }));
}

/** The format of the active cell after all pending commands. */
async function activeFormat(model: WorkbookModel): Promise<Record<string, ItemValue>> {
  const { format } = await model.session.query({ type: "cell", sheet: model.sheetId(), cell: model.selection().active });
  // A style has no style of its own; how a text is shown and the fonts of its parts belong to the cell.
  const { cellStyle, textFormat, textRuns, ...attributes } = format;
  return JSON.parse(JSON.stringify(attributes)) as Record<string, ItemValue>;
}

/** Applies a style of the workbook to the selection. */
export function applyStyle(model: WorkbookModel, id: number): void {
  model.format({ cellStyle: id });
}

/** Applies a built-in style to the selection, in one undo step with its item if it has none yet. */
export function applyBuiltinStyle(model: WorkbookModel, style: BuiltinStyle, isInWorkbook: boolean): void {
  const { id, name, builtinId, format } = style;
  const fields: Record<string, ItemValue> = { name, format: JSON.parse(JSON.stringify(format)) as ItemValue, partial: true };
  if (builtinId !== undefined) {
    fields["builtinId"] = builtinId;
  }
  const item: Command = { type: "setItem", sheet: null, item: id, kind: "cellStyle", fields };
  model.format({ cellStyle: id }, isInWorkbook ? [] : [item]);
}

/** Adds a style with the format of the active cell, which gets the style. */
export async function addStyle(model: WorkbookModel, name: string): Promise<void> {
  const format = await activeFormat(model);
  const id = newItemId();
  const item: Command = { type: "setItem", sheet: null, item: id, kind: "cellStyle", fields: { name: cleanName(name), format } };
  model.command({ type: "many", commands: [item, formatOfActive(model, id)] });
}

/** Renames a style. */
export function renameStyle(model: WorkbookModel, style: CustomStyle, name: string): void {
  const clean = cleanName(name);
  if (clean !== "" && clean !== style.name) {
    model.command({ type: "setItem", sheet: null, item: style.id, fields: { name: clean } });
  }
}

/**
 * Sets the style to the format of the active cell, which gets the style. Cells that have the style
 * change, except in what they set themselves.
 */
export async function redefineStyle(model: WorkbookModel, style: CustomStyle): Promise<void> {
  const format = await activeFormat(model);
  const item: Command = { type: "setItem", sheet: null, item: style.id, fields: { format } };
  model.command({ type: "many", commands: [item, formatOfActive(model, style.id)] });
}

function formatOfActive(model: WorkbookModel, cellStyle: number): Command {
  return { type: "format", sheet: model.sheetId(), range: rangeName(rangeOf(model.selection().active)), format: { cellStyle } };
}

/** Removes a style; its cells become "Normal", and keep what they set themselves. */
export function removeStyle(model: WorkbookModel, style: CustomStyle): void {
  model.command({ type: "removeItem", sheet: null, item: style.id });
}

/** The name without surrounding spaces, cut to the length limit. */
export function cleanName(name: string): string {
  return name.trim().slice(0, STYLE_NAME_MAX);
}
