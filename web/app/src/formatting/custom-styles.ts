/** Custom cell styles: items of the workbook, so that everybody has them. */

import type { FormatChange, ItemDetails, ItemValue } from "@quadrille/protocol";
import { newItemId, type WorkbookModel } from "../state/index.ts";

/** Length limit of a style name. */
export const STYLE_NAME_MAX = 100;
/** Limit on the number of custom styles. */
export const STYLES_MAX = 200;

/** A custom cell style. */
export interface CustomStyle {
  readonly id: number;
  readonly name: string;
  readonly format: FormatChange;
}

/** The default format. A style sets every attribute: those that it does not name are reset. */
const DEFAULT_FORMAT: FormatChange = {
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
  underlineStyle: null,
  script: null,
  borderDiagonalUp: null,
  borderDiagonalDown: null,
  fillPattern: null,
  fillPatternColor: null,
  quotePrefix: false,
  readingOrder: null,
};

/** The format with all attributes set. */
export function fullFormat(format: FormatChange): FormatChange {
  return { ...DEFAULT_FORMAT, ...format };
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
export async function queryCustomStyles(model: WorkbookModel): Promise<readonly CustomStyle[]> {
  return customStyles(await model.session.query({ type: "items", sheet: null }));
}

/** The format of the active cell after all pending commands. */
async function activeFormat(model: WorkbookModel): Promise<Record<string, ItemValue>> {
  const { format } = await model.session.query({ type: "cell", sheet: model.sheetId(), cell: model.selection().active });
  return JSON.parse(JSON.stringify(format)) as Record<string, ItemValue>;
}

/** Adds a style with the format of the active cell. */
export async function addStyle(model: WorkbookModel, name: string): Promise<void> {
  const format = await activeFormat(model);
  model.command({ type: "setItem", sheet: null, item: newItemId(), kind: "cellStyle", fields: { name: cleanName(name), format } });
}

/** Renames a style. */
export function renameStyle(model: WorkbookModel, style: CustomStyle, name: string): void {
  const clean = cleanName(name);
  if (clean !== "" && clean !== style.name) {
    model.command({ type: "setItem", sheet: null, item: style.id, fields: { name: clean } });
  }
}

/** Sets the style to the format of the active cell; cells that have the style do not change. */
export async function redefineStyle(model: WorkbookModel, style: CustomStyle): Promise<void> {
  const format = await activeFormat(model);
  model.command({ type: "setItem", sheet: null, item: style.id, fields: { format } });
}

/** Removes a style. */
export function removeStyle(model: WorkbookModel, style: CustomStyle): void {
  model.command({ type: "removeItem", sheet: null, item: style.id });
}

/** The name without surrounding spaces, cut to the length limit. */
export function cleanName(name: string): string {
  return name.trim().slice(0, STYLE_NAME_MAX);
}
