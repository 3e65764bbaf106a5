/**
 * Writes one sheet as an `.xlsx` workbook, row by row: the form in which the server reads typed
 * cells with formats without having the whole sheet in memory as text.
 */

import { columnName } from "@quadrille/grid";
import type { Cell } from "./cell-values.ts";
import { ColumnFileError } from "./column-file-error.ts";
import { WORKSHEET_BYTES_MAX } from "./limits.ts";
import { type FinishedPart, zipArchive, ZipPart } from "./zip.ts";

/** Characters that are compressed at one time. */
const CHUNK_LENGTH = 1 << 18;
/**
 * The server refuses parts that expand to more than 200 times their size. Columns of equal values
 * would; a comment with random text at the end makes their part long enough.
 */
const EXPANSION_MAX = 150;
/** Characters that XML does not allow or changes, and what would be read as an escaped one. */
const ESCAPED = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[\da-fA-F]{4}_)/g;
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const XML = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;

/** A column of the sheet. */
export interface SheetColumn {
  /** Whether its cells below the header get the format that `finish` is given for the column. */
  readonly isFormatted: boolean;
  /** In characters. */
  readonly width: number | undefined;
}

/** A workbook that is being written. */
export class WorkbookWriter {
  private readonly sheetName: string;
  private readonly columns: readonly SheetColumn[];
  private readonly letters: readonly string[];
  private readonly sheet = new ZipPart("xl/worksheets/sheet1.xml");
  private pending: string;
  private rowCount = 0;

  constructor(sheetName: string, columns: readonly SheetColumn[]) {
    this.sheetName = sheetName;
    this.columns = columns;
    this.letters = columns.map((_, index) => columnName(index));
    const widths = columns.map(({ width }, index) =>
      width === undefined ? "" : `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
    );
    const list = widths.join("");
    this.pending = `${XML}<worksheet xmlns="${MAIN}">${list === "" ? "" : `<cols>${list}</cols>`}<sheetData>`;
  }

  /** Adds a row of cells. The first one is the header, whose cells have no format. */
  async row(cells: readonly Cell[]): Promise<void> {
    this.rowCount += 1;
    const isHeader = this.rowCount === 1;
    let xml = "<row>";
    let isGap = false;
    for (let index = 0; index < this.letters.length; index += 1) {
      const cell = cells[index];
      const isFormatted = !isHeader && this.columns[index]?.isFormatted === true;
      if (cell === undefined && !isFormatted) {
        isGap = true;
        continue;
      }
      // A cell without an address is beside the one before. Empty cells of a formatted column have
      // its format, so that the sheet has one range with it and not one for each gap.
      const address = isGap ? ` r="${this.letters[index]}${this.rowCount}"` : "";
      xml += cellXml(cell, isFormatted ? `${address} s="${index + 1}"` : address);
      isGap = false;
    }
    this.pending += `${xml}</row>`;
    if (this.pending.length >= CHUNK_LENGTH) {
      await this.flush();
    }
  }

  /** Ends the workbook. `formats` has the number formats of the columns. */
  async finish(formats: readonly (string | undefined)[]): Promise<Blob> {
    this.pending += "</sheetData></worksheet>";
    await this.flush();
    const missing = Math.ceil(this.sheet.expanded / EXPANSION_MAX) - this.sheet.compressed;
    if (missing > 0) {
      await this.sheet.write(`<!--${randomText(missing)}-->`);
    }
    const sheet = await this.sheet.finish();
    const others = [
      await part("[Content_Types].xml", contentTypes()),
      await part("_rels/.rels", relationships([["officeDocument", "xl/workbook.xml"]])),
      await part("xl/workbook.xml", workbook(this.sheetName)),
      await part("xl/_rels/workbook.xml.rels", relationships([["worksheet", "worksheets/sheet1.xml"], ["styles", "styles.xml"]])),
      await part("xl/styles.xml", styles(formats)),
    ];
    return zipArchive([...others, sheet]);
  }

  private async flush(): Promise<void> {
    const text = this.pending;
    this.pending = "";
    await this.sheet.write(text);
    if (this.sheet.expanded > WORKSHEET_BYTES_MAX) {
      throw new ColumnFileError("archive_limits", `the sheet has more than ${WORKSHEET_BYTES_MAX} bytes`);
    }
  }
}

function cellXml(cell: Cell, attributes: string): string {
  switch (typeof cell) {
    case "number":
      return `<c${attributes}><v>${cell}</v></c>`;
    case "string":
      return `<c${attributes} t="str"><v>${escaped(cell)}</v></c>`;
    case "boolean":
      return `<c${attributes} t="b"><v>${cell ? 1 : 0}</v></c>`;
    case "undefined":
      return `<c${attributes}/>`;
  }
}

/** A text in XML, with the escapes of ECMA-376 (`ST_Xstring`) for characters that XML does not allow. */
function escaped(text: string): string {
  return text.replace(ESCAPED, (character) => {
    switch (character) {
      case "&":
        return "&amp;";
      case "<":
        return "&lt;";
      case ">":
        return "&gt;";
      default:
        return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
    }
  });
}

/** Letters and digits of which each has six random bits, so that they need `bytes` bytes when compressed. */
function randomText(bytes: number): string {
  let text = "";
  const random = new Uint8Array(Math.min(bytes, 1 << 14));
  while (text.length < Math.ceil((bytes * 4) / 3)) {
    crypto.getRandomValues(random);
    text += btoa(String.fromCharCode(...random));
  }
  return text;
}

async function part(name: string, xml: string): Promise<FinishedPart> {
  const written = new ZipPart(name);
  await written.write(XML + xml);
  return written.finish();
}

function contentTypes(): string {
  const spreadsheet = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const override = (name: string, type: string): string => `<Override PartName="/xl/${name}" ContentType="${spreadsheet}.${type}+xml"/>`;
  return (
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `<Default Extension="xml" ContentType="application/xml"/>${override("workbook.xml", "sheet.main")}` +
    `${override("worksheets/sheet1.xml", "worksheet")}${override("styles.xml", "styles")}</Types>`
  );
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`);
  return `<Relationships xmlns="${PACKAGE}/relationships">${list.join("")}</Relationships>`;
}

function workbook(sheetName: string): string {
  const name = escaped(sheetName).replaceAll('"', "&quot;");
  return `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`;
}

/** The styles: the default, and one for each column with its number format. */
function styles(formats: readonly (string | undefined)[]): string {
  // Numbers of formats below 164 are built in.
  const first = 164;
  const codes = formats.map((code, index) => (code === undefined ? "" : `<numFmt numFmtId="${first + index}" formatCode="${code}"/>`));
  const cells = formats.map((code, index) => (code === undefined ? "<xf/>" : `<xf numFmtId="${first + index}" applyNumberFormat="1"/>`));
  const count = codes.filter((code) => code !== "").length;
  return (
    `<styleSheet xmlns="${MAIN}">${count === 0 ? "" : `<numFmts count="${count}">${codes.join("")}</numFmts>`}` +
    `<fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
    `<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>` +
    `<cellXfs count="${cells.length + 1}"><xf/>${cells.join("")}</cellXfs></styleSheet>`
  );
}
