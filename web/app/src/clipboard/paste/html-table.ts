/**
 * Reads a table from the HTML of the clipboard, as Excel, LibreOffice, Google Sheets and web pages
 * write it.
 */

import type { CellContent, FormatChange } from "@quadrille/protocol";
import { type Declarations, declarations, rules } from "./css-parser.ts";
import { type PastedCellStyle, formatOf, formatAtEdges } from "./pasted-formats.ts";
import { textRunsOf } from "./pasted-runs.ts";

/** A cell of a pasted table. */
export interface PastedCell {
  readonly content: CellContent;
  readonly format: FormatChange;
  readonly link: string | undefined;
}

/** A merged range, relative to the table. */
export interface PastedMerge {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** A pasted table; all rows have the same length. */
export interface PastedTable {
  readonly rows: readonly (readonly PastedCell[])[];
  readonly merges: readonly PastedMerge[];
}

/** A larger table is pasted as text. */
const CELLS_MAX = 200_000;
/** The attribute into which `style` attributes are renamed. */
const STYLE = "data-css";
const BLANK: PastedCell = { content: "blank", format: {}, link: undefined };

/** The first table of the document; `undefined` when there is none or it is too large. */
export function readTable(html: string): PastedTable | undefined {
  // A parsed document loads and runs nothing. Style sheets and attributes are removed beforehand,
  // because the content security policy would report them as violations.
  const sheets: string[] = [];
  const unstyled = html
    .replace(/<style[^>]*>([\s\S]*?)<\/style>/gi, (_, sheet: string) => {
      sheets.push(sheet);
      return "";
    })
    .replace(/\sstyle\s*=/gi, ` ${STYLE}=`);
  const table = new DOMParser().parseFromString(unstyled, "text/html").querySelector("table");
  if (!table) {
    return undefined;
  }
  const sheet = rules(sheets.join("\n"));
  // The rule for all cells is the default format of the other program.
  const base = new Map([...(sheet.get("td") ?? []), ...declarations(table.getAttribute(STYLE) ?? "")]);
  const rows: PastedCell[][] = [];
  const merges: PastedMerge[] = [];
  let count = 0;
  for (const [at, tableRow] of [...table.rows].entries()) {
    const row = (rows[at] ??= []);
    let column = 0;
    for (const cell of tableRow.cells) {
      while (row[column] !== undefined) {
        column += 1;
      }
      const [down, right] = [Math.max(1, cell.rowSpan), Math.max(1, cell.colSpan)];
      count += down * right;
      if (count > CELLS_MAX) {
        return undefined;
      }
      if (down * right > 1) {
        merges.push({ row: at, column, rows: down, columns: right });
      }
      const pasted = read(cell, sheet, base);
      for (let below = 0; below < down; below += 1) {
        const target = (rows[at + below] ??= []);
        for (let beside = 0; beside < right; beside += 1) {
          const edges = { top: below === 0, right: beside === right - 1, bottom: below === down - 1, left: beside === 0 };
          target[column + beside] = { ...BLANK, format: formatAtEdges(pasted.format, edges) };
        }
      }
      row[column] = { ...pasted, format: row[column]?.format ?? pasted.format };
      column += right;
    }
  }
  const width = Math.max(0, ...rows.map((row) => row.length));
  return width === 0
    ? undefined
    : { rows: rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? BLANK)), merges };
}

function read(cell: HTMLTableCellElement, sheet: ReadonlyMap<string, Declarations>, base: Declarations): PastedCell {
  const style: PastedCellStyle = { cell, base, own: ownStyle(cell, sheet) };
  const text = displayedText(cell);
  const numberFormat = numberFormatOf(cell, style.own.get("mso-number-format") ?? base.get("mso-number-format"));
  const link = cell.getAttribute("data-sheets-hyperlink") ?? cell.querySelector("a[href]")?.getAttribute("href") ?? undefined;
  const content = contentOf(cell, text, numberFormat);
  const format = formatOf(style, numberFormat);
  const isText = typeof content === "object" && !("number" in content);
  const textRuns = isText ? textRunsOf(cell, text, format, base, (element) => ownStyle(element, sheet)) : undefined;
  return {
    content,
    format: textRuns ? { ...format, textRuns } : format,
    link: link !== undefined && isAddress(link) ? link : undefined,
  };
}

/** Whether the text is a web or mail address. */
export function isAddress(text: string): boolean {
  return /^(https?:\/\/|mailto:)[^\s]+$/i.test(text);
}

/**
 * The declarations of the classes and the `style` attribute of a cell; later ones override earlier
 * ones.
 */
function ownStyle(cell: Element, sheet: ReadonlyMap<string, Declarations>): Declarations {
  const merged = new Map<string, string>();
  const sources = [...cell.classList].map((name) => sheet.get(`.${name.toLowerCase()}`));
  for (const source of [...sources, declarations(cell.getAttribute(STYLE) ?? "")]) {
    source?.forEach((value, name) => merged.set(name, value));
  }
  return merged;
}

/**
 * The displayed text: line breaks of the markup are spaces, `<br>` and blocks are line
 * breaks.
 */
function displayedText(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  copy.querySelectorAll("script").forEach((element) => element.remove());
  copy.querySelectorAll("br").forEach((element) => element.replaceWith("\u0000"));
  copy.querySelectorAll("p + p, div + div").forEach((element) => element.prepend("\u0000"));
  return (copy.textContent ?? "")
    .replace(/[ \t\r\n]+/g, " ")
    .replace(/ ?\u0000 ?/g, "\n")
    .replaceAll("\u00a0", " ")
    .trim();
}

/** The value behind the text if the program gives it, such as 0.256 behind `26%`. */
function contentOf(cell: HTMLTableCellElement, text: string, numberFormat: string | undefined): CellContent {
  if (text === "") {
    return "blank";
  }
  const exact = cell.getAttribute("sdval") ?? cell.getAttribute("x:num") ?? googleNumber(cell);
  if (exact !== undefined && exact !== "" && Number.isFinite(Number(exact))) {
    return { number: Number(exact) };
  }
  if (numberFormat === "@") {
    return { text };
  }
  return { typed: text };
}

/**
 * The number in `data-sheets-value='{"1":3,"3":0.256}'` of Google Sheets: kind 3 is a number, kind
 * 2 a text.
 */
function googleNumber(cell: HTMLTableCellElement): string | undefined {
  const value = jsonOf(cell.getAttribute("data-sheets-value"));
  return value?.["1"] === 3 ? String(value["3"]) : undefined;
}

function numberFormatOf(cell: HTMLTableCellElement, excelCode: string | undefined): string | undefined {
  const google = jsonOf(cell.getAttribute("data-sheets-numberformat"))?.["2"];
  if (typeof google === "string" && google !== "") {
    return google;
  }
  // LibreOffice: language; language of the format; code.
  const libre = cell.getAttribute("sdnum")?.split(";").slice(2).join(";");
  if (libre !== undefined && libre !== "" && libre !== "General" && libre !== "Standard") {
    return libre;
  }
  const excel = excelCode?.replace(/^["']|["']$/g, "");
  return excel === undefined ? undefined : excelFormat(excel);
}

/**
 * Resolves the named formats of Excel, and removes the backslashes before special characters of
 * CSS.
 */
function excelFormat(written: string): string | undefined {
  const named: Readonly<Record<string, string | undefined>> = {
    General: undefined,
    Percent: "0%",
    Fixed: "0.00",
    Standard: "#,##0.00",
    Scientific: "0.00E+00",
    "Short Date": "yyyy-mm-dd",
    "Long Time": "hh:mm:ss",
    "Short Time": "hh:mm",
  };
  if (written in named) {
    return named[written];
  }
  const code = written.replace(/\\0022/g, '"').replace(/\\([^0-9a-fA-F])/g, "$1").replace(/\\(?=[0#?])/g, "");
  return code === "" || code === "General" ? undefined : code;
}

function jsonOf(text: string | null): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
