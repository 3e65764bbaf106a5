/**
 * Writes cells as an HTML table for Excel, LibreOffice and Google Sheets: displayed texts, formats,
 * and the number behind each text (`x:num` is an attribute of Excel, `sdval` and `sdnum` are of
 * LibreOffice).
 */

import { Align, type CellStyle, type CellTable, type Merge, NO_COLOR, type ReadCell, type SheetWindow, type ValueKind } from "@quadrille/protocol";
import { declarationsOf, hexColor, sideOf } from "../../formatting/index.ts";

/** The copied cells with formats and sizes. */
export interface CopiedSheet {
  readonly table: CellTable;
  /** Formats of the cells; cells outside of it have the default format. */
  readonly window: SheetWindow;
  readonly widthPx: (column: number) => number;
  readonly heightPx: (row: number) => number;
}

const START =
  '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta charset="utf-8">' +
  "<style>td{white-space:nowrap;vertical-align:bottom}</style></head><body>" +
  '<table style="border-collapse:collapse">';

/** The HTML document with a table of ranges that are below or beside each other. */
export function tableHtml(sheets: readonly CopiedSheet[], areStacked: boolean): string {
  const parts = [START, "<colgroup>"];
  for (const { table, widthPx } of areStacked ? sheets.slice(0, 1) : sheets) {
    for (let column = table.left; column < table.left + widthOf(table); column += 1) {
      parts.push(`<col width="${Math.round(widthPx(column))}">`);
    }
  }
  parts.push("</colgroup><tbody>");
  const all = sheets.map((sheet) => rowsHtml(sheet));
  if (areStacked) {
    parts.push(...all.flatMap((rows, index) => rows.map((row, at) => rowHtml(sheets[index], at, row))));
  } else {
    const height = Math.max(...all.map(({ length }) => length));
    const longest = sheets.find(({ table }) => table.rows.length === height);
    for (let at = 0; at < height; at += 1) {
      const cells = all.map((rows, index) => rows[at] ?? "<td></td>".repeat(widthOf(sheets[index]?.table)));
      parts.push(rowHtml(longest, at, cells.join("")));
    }
  }
  parts.push("</tbody></table></body></html>");
  return parts.join("");
}

function widthOf(table: CellTable | undefined): number {
  return table?.rows[0]?.cells.length ?? 0;
}

function rowHtml(sheet: CopiedSheet | undefined, at: number, cells: string): string {
  const row = sheet?.table.rows[at]?.row;
  return `<tr${sheet && row !== undefined ? ` height="${Math.round(sheet.heightPx(row))}"` : ""}>${cells}</tr>`;
}

/** The cells of each row. */
function rowsHtml({ table, window }: CopiedSheet): readonly string[] {
  const width = widthOf(table);
  const rows = new Set(table.rows.map(({ row }) => row));
  const styles = new Map<CellStyle, Map<ValueKind, string>>();
  return table.rows.map(({ row, cells }) => {
    const parts: string[] = [];
    cells.forEach((cell, at) => {
      const index = window.index(row, table.left + at);
      const merge = index < 0 ? undefined : window.merge(index);
      if (!merge) {
        parts.push(cellHtml(cell, window, index, styles, ""));
      } else if (hasPriority(merge, row, table.left + at, rows, table.left)) {
        parts.push(cellHtml(cell, window, index, styles, spans(merge, rows, table.left, width)));
      }
    });
    return parts.join("");
  });
}

/** Whether the cell is the top left cell of the copied part of a merged range. */
function hasPriority(merge: Merge, row: number, column: number, rows: ReadonlySet<number>, left: number): boolean {
  if (column !== Math.max(merge.left, left)) {
    return false;
  }
  for (let above = merge.top; above < row; above += 1) {
    if (rows.has(above)) {
      return false;
    }
  }
  return true;
}

function spans(merge: Merge, rows: ReadonlySet<number>, left: number, width: number): string {
  let down = 0;
  for (let row = merge.top; row <= merge.bottom; row += 1) {
    down += rows.has(row) ? 1 : 0;
  }
  const right = Math.min(merge.right, left + width - 1) - Math.max(merge.left, left) + 1;
  return `${down > 1 ? ` rowspan="${down}"` : ""}${right > 1 ? ` colspan="${right}"` : ""}`;
}

function cellHtml(
  cell: ReadCell,
  window: SheetWindow,
  index: number,
  styles: Map<CellStyle, Map<ValueKind, string>>,
  span: string,
): string {
  let css = index < 0 ? "" : styleText(window, index, styles);
  let attributes = "";
  const { numberFormat, value } = cell;
  if (numberFormat !== undefined) {
    css += `;mso-number-format:${excelCode(numberFormat)}`;
  }
  if (typeof value === "number") {
    attributes = ` x:num="${value}" sdval="${value}"`;
    if (numberFormat !== undefined) {
      attributes += ` sdnum="1033;0;${escapeHtml(numberFormat)}"`;
    }
  } else if (typeof value === "string" && looksLikeValue(cell.text)) {
    // Keeps other programs from reading the text as a number or a date.
    css += ";mso-number-format:'\\@'";
    attributes = ' x:str sdnum="1033;0;@"';
  }
  const style = css === "" ? "" : ` style="${escapeHtml(css.replace(/^;/, ""))}"`;
  const link = index < 0 ? undefined : window.mark(index)?.link;
  const text = index < 0 ? textHtml(cell.text) : richHtml(cell.text, window, index);
  const linked = link === undefined ? text : `<a href="${escapeHtml(link)}">${text}</a>`;
  const tags = index < 0 || cell.text === "" ? { attributes: "", before: "", after: "" } : presentationalTags(window.style(index), window.kind(index));
  return `<td${span}${attributes}${tags.attributes}${style}>${tags.before}${linked}${tags.after}</td>`;
}

function textHtml(text: string): string {
  return escapeHtml(text).replaceAll("\n", '<br style="mso-data-placement:same-cell">');
}

/**
 * The text with the fonts of its parts: `font` elements, which Excel writes and every program reads, with tags
 * for LibreOffice.
 */
function richHtml(text: string, window: SheetWindow, index: number): string {
  const runs = window.mark(index)?.runs ?? [];
  // A longer text than the grid draws is copied without fonts.
  if (runs.every(({ cellStyle }) => cellStyle === undefined) || runs.at(-1)?.end !== text.length) {
    return textHtml(text);
  }
  const cell = window.style(index);
  let start = 0;
  return runs
    .map(({ end, cellStyle }) => {
      const part = textHtml(text.slice(start, end));
      start = end;
      const style = window.styleNumbered(cellStyle ?? 0);
      const css = fontDeclarations(style, cell);
      const { before, after } = presentationalTags(style, window.kind(index));
      return css.length === 0 ? part : `<span style="${escapeHtml(css.join(";"))}">${before}${part}${after}</span>`;
    })
    .join("");
}

/** The attributes of the font of a part that differ from those of the cell. */
function fontDeclarations(style: CellStyle, cell: CellStyle): readonly string[] {
  const lines = [style.underline && "underline", style.strikethrough && "line-through"].filter(Boolean).join(" ");
  return [
    style.bold !== cell.bold && `font-weight:${style.bold ? "bold" : "normal"}`,
    style.italic !== cell.italic && `font-style:${style.italic ? "italic" : "normal"}`,
    (style.underline !== cell.underline || style.strikethrough !== cell.strikethrough) && `text-decoration:${lines === "" ? "none" : lines}`,
    style.script !== cell.script && `vertical-align:${["baseline", "super", "sub"][style.script] ?? "baseline"}`,
    style.textColor !== cell.textColor && `color:${style.textColor === NO_COLOR ? "#000000" : hexColor(style.textColor)}`,
    style.fontSize !== cell.fontSize && style.fontSize !== 0 && `font-size:${style.fontSize}pt`,
    style.fontFamily !== cell.fontFamily && style.fontFamily !== "" && `font-family:'${style.fontFamily.replaceAll(/['"\\;<>]/g, "")}'`,
  ].filter((declaration) => declaration !== false);
}

/**
 * LibreOffice reads text formats from tags instead of styles. The `font` tag has seven sizes; other
 * sizes are left out.
 */
function presentationalTags(style: CellStyle, kind: ValueKind): { readonly attributes: string; readonly before: string; readonly after: string } {
  const elements = [style.bold && "b", style.italic && "i", style.underline && "u", style.strikethrough && "s", SCRIPT_TAGS[style.script]].filter((tag) => tag !== false && tag !== undefined);
  const size = FONT_SIZES.indexOf(style.fontSize) + 1;
  const font = [
    style.fontFamily !== "" && `face="${escapeHtml(style.fontFamily)}"`,
    size > 0 && `size="${size}"`,
    style.textColor !== NO_COLOR && `color="${hexColor(style.textColor)}"`,
  ].filter((attribute) => attribute !== false);
  const open = elements.map((tag) => `<${tag}>`).join("") + (font.length > 0 ? `<font ${font.join(" ")}>` : "");
  const close = (font.length > 0 ? "</font>" : "") + elements.map((tag) => `</${tag}>`).reverse().join("");
  const side = sideOf(style, kind);
  const attributes =
    (side === "start" && style.horizontal === Align.None ? "" : ` align="${side === "end" ? "right" : side === "center" ? "center" : "left"}"`) +
    (style.vertical === Align.None ? "" : ` valign="${style.vertical === Align.Start ? "top" : style.vertical === Align.Center ? "middle" : "bottom"}"`) +
    (style.fillColor === NO_COLOR ? "" : ` bgcolor="${hexColor(style.fillColor)}"`);
  return { attributes, before: open, after: close };
}

/** Elements of superscripts and subscripts, by {@link FontScript}. */
const SCRIPT_TAGS: readonly (string | undefined)[] = [undefined, "sup", "sub"];

/** Font sizes in points of `<font size="1">` to `<font size="7">`. */
const FONT_SIZES: readonly number[] = [7, 10, 12, 14, 18, 24, 36];

function styleText(window: SheetWindow, index: number, styles: Map<CellStyle, Map<ValueKind, string>>): string {
  const style = window.style(index);
  const kind = window.kind(index);
  const ofStyle = styles.get(style) ?? new Map<ValueKind, string>();
  styles.set(style, ofStyle);
  const text = ofStyle.get(kind) ?? declarationsOf(style, kind).join(";");
  ofStyle.set(kind, text);
  return text;
}

/** Whether other programs would read the text as a number, a date or a formula. */
function looksLikeValue(text: string): boolean {
  return /^\s*[-+=@(]?[\d.,$€£]/.test(text) || /^[=+@-]/.test(text);
}

/** Escapes a number format as Excel does, with a backslash before special characters of CSS. */
function excelCode(code: string): string {
  return `"${code.replaceAll(/[^\w\s]/g, (sign) => (sign === '"' ? "\\0022" : `\\${sign}`))}"`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
