/**
 * Tables: ranges with a name, a header and a style, whose columns formulas refer to
 * (`Stock[Amount]`).
 */

import { type Cell, contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { CellContent, Command, ItemDetails } from "@quadrille/protocol";
import { t, withoutIsolates } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { nameError } from "../names/index.ts";
import { filterOfTable } from "./table-filter.ts";

/** Names of table styles in Excel, so that files keep them, with the accent color of each. */
export const TABLE_STYLES: readonly (readonly [style: string, color: string])[] = [
  ["TableStyleMedium2", "#4472c4"],
  ["TableStyleMedium3", "#ed7d31"],
  ["TableStyleMedium4", "#7b7b7b"],
  ["TableStyleMedium5", "#bf8f00"],
  ["TableStyleMedium6", "#5b9bd5"],
  ["TableStyleMedium7", "#70ad47"],
  ["TableStyleMedium1", "#404040"],
];

/** The settings of a table. */
export interface TableSettings {
  readonly range: Range;
  readonly name: string;
  readonly hasHeader: boolean;
  readonly hasBands: boolean;
  readonly hasTotals: boolean;
  readonly style: string;
}

/** The table that contains a cell. */
export function tableAt(model: WorkbookModel, cell: Cell): ItemDetails | undefined {
  return model.items.ofKind("table").find((table) => {
    const range = parseRange(table.anchors[0] ?? "");
    return range !== undefined && contains(range, cell);
  });
}

/** The settings of an existing table, or of a new one over `range`. */
export function settingsOf(table: ItemDetails | undefined, range: Range, name: string): TableSettings {
  const fields: ItemDetails["fields"] = table?.fields ?? { bandedRows: true };
  return {
    range: parseRange(table?.anchors[0] ?? "") ?? range,
    name: typeof fields["name"] === "string" ? fields["name"] : name,
    hasHeader: fields["headerRow"] !== false,
    hasBands: fields["bandedRows"] === true,
    hasTotals: fields["totalRow"] === true,
    style: typeof fields["style"] === "string" ? fields["style"] : (TABLE_STYLES[0]?.[0] ?? ""),
  };
}

/** The first of `Table1`, `Table2` … that no table of the workbook has. */
export async function freeTableName(model: WorkbookModel): Promise<string> {
  const taken = new Set((await tableNames(model)).map((name) => name.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const name = withoutIsolates(t("Table{number}", { number: String(number) }));
    if (!taken.has(name.toLowerCase())) {
      return name;
    }
  }
}

async function tableNames(model: WorkbookModel): Promise<readonly string[]> {
  const lists = await Promise.all(model.sheets().map((sheet) => model.session.query({ type: "items", sheet: sheet.id })));
  return lists.flat().flatMap(({ kind, fields }) => (kind === "table" ? [String(fields["name"])] : []));
}

/** Names that a table cannot have: those of other tables and of the workbook. */
async function takenNames(model: WorkbookModel): Promise<readonly string[]> {
  const [tables, names] = await Promise.all([tableNames(model), model.session.query({ type: "names" })]);
  return [...tables, ...names.filter(({ sheet }) => sheet === null).map(({ name }) => name)];
}

/** Error messages by field. */
export type TableErrors = Partial<Record<"name" | "cells" | "hasTotals", string>>;

/**
 * Creates or changes a table in one command. Returns errors instead if the settings are invalid.
 */
export async function saveTable(model: WorkbookModel, table: ItemDetails | undefined, edited: TableSettings): Promise<TableErrors | undefined> {
  const sheet = model.sheetId();
  const previous = table ? settingsOf(table, edited.range, edited.name) : undefined;
  const isRenamed = edited.name.toLowerCase() !== previous?.name.toLowerCase();
  const invalidName = isRenamed ? nameError(edited.name, await takenNames(model)) : undefined;
  if (invalidName !== undefined) {
    return { name: invalidName };
  }
  const others = (await model.items.settled()).filter(({ kind, id }) => (kind === "table" || kind === "merge") && id !== table?.id);
  const addsTotalRow = edited.hasTotals && !previous?.hasTotals;
  const removesTotalRow = !edited.hasTotals && previous?.hasTotals === true;
  const bottom = edited.range.bottom + (addsTotalRow ? 1 : 0) - (removesTotalRow ? 1 : 0);
  const area = { ...edited.range, bottom };
  const overlapsArea = ({ anchors }: ItemDetails) => anchors.some((anchor) => overlaps(parseRange(anchor), area));
  if (bottom - area.top < (edited.hasHeader ? 1 : 0) + (edited.hasTotals ? 1 : 0)) {
    return { cells: t("A table needs at least one row below its header.") };
  }
  if (others.some(overlapsArea)) {
    return { cells: t("These cells overlap another table or merged cells.") };
  }
  const commands: Command[] = [];
  if (edited.hasHeader) {
    commands.push(...(await missingHeaders(model, sheet, area)));
  }
  if (addsTotalRow) {
    if ((await textsOf(model, sheet, { ...area, top: bottom })).some((text) => text !== "")) {
      return { hasTotals: t("The row below the table must be empty for a total row.") };
    }
  } else if (removesTotalRow) {
    commands.push({ type: "clear", sheet, range: rangeName({ ...area, top: bottom + 1, bottom: bottom + 1 }), what: "contents" });
  }
  commands.push({
    type: "setItem",
    sheet,
    item: table?.id ?? newItemId(),
    kind: "table",
    anchors: [rangeName(area)],
    fields: {
      name: edited.name,
      headerRow: edited.hasHeader,
      bandedRows: edited.hasBands,
      totalRow: edited.hasTotals,
      style: edited.style,
    },
  });
  commands.push(...(await filterCommands(model, table, { ...edited, range: area })));
  if (addsTotalRow) {
    commands.push(totalRowCommand(sheet, area, edited.hasHeader));
  }
  model.command({ type: "many", commands });
  return undefined;
}

/**
 * Commands for the filter buttons in the header: a new table has them, unless its cells have a filter
 * already, and those of a changed table follow it.
 */
async function filterCommands(model: WorkbookModel, table: ItemDetails | undefined, edited: TableSettings): Promise<readonly Command[]> {
  const sheet = model.sheetId();
  const rows = { ...edited.range, bottom: edited.range.bottom - (edited.hasTotals ? 1 : 0) };
  const filters = (await model.items.settled()).filter(({ kind }) => kind === "autoFilter");
  const own = table && filterOfTable(table, filters);
  if (own) {
    return edited.hasHeader
      ? [{ type: "setItem", sheet, item: own.id, anchors: [rangeName(rows)], fields: {} }]
      : [{ type: "removeItem", sheet, item: own.id }];
  }
  const isFiltered = filters.some(({ anchors }) => overlaps(parseRange(anchors[0] ?? ""), rows));
  return table || !edited.hasHeader || isFiltered ? [] : [newFilter(sheet, rows)];
}

function newFilter(sheet: number, range: Range): Command {
  return { type: "setItem", sheet, item: newItemId(), kind: "autoFilter", anchors: [rangeName(range)], fields: {} };
}

/** Leaves the cells of a table without the table and its filter buttons. */
export async function convertToRange(model: WorkbookModel, table: ItemDetails): Promise<void> {
  const sheet = model.sheetId();
  const own = filterOfTable(table, await model.items.settled());
  const commands = [table, ...(own ? [own] : [])].map(({ id }): Command => ({ type: "removeItem", sheet, item: id }));
  model.command({ type: "many", commands });
}

/** Commands that give every column a unique header, as formulas refer to columns by them. */
async function missingHeaders(model: WorkbookModel, sheet: number, area: Range): Promise<readonly Command[]> {
  const texts = await textsOf(model, sheet, { ...area, bottom: area.top });
  const taken = new Set<string>();
  const row = texts.map((text, index): CellContent => {
    if (text !== "" && !taken.has(text.toLowerCase())) {
      taken.add(text.toLowerCase());
      return "keep";
    }
    const base = text === "" ? withoutIsolates(t("Column{number}", { number: String(index + 1) })) : text;
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()) || (name !== base && texts.includes(name)); number += 1) {
      name = `${base}${number}`;
    }
    taken.add(name.toLowerCase());
    return { text: name };
  });
  const at = rangeName({ ...area, bottom: area.top, right: area.left });
  return row.some((content) => content !== "keep") ? [{ type: "setCells", sheet, at, cells: [row] }] : [];
}

/**
 * The command for the total row: a label in the first column, the sum of visible rows in the last.
 */
function totalRowCommand(sheet: number, area: Range, hasHeader: boolean): Command {
  const last = rangeName({ top: area.top + (hasHeader ? 1 : 0), bottom: area.bottom - 1, left: area.right, right: area.right });
  const sum: CellContent = { formula: `=SUBTOTAL(109,${last})` };
  const width = area.right - area.left + 1;
  const row = Array.from({ length: width }, (_, index): CellContent => {
    if (index === width - 1) {
      return sum;
    }
    return index === 0 ? { text: t("Total|of a table") } : "keep";
  });
  return { type: "setCells", sheet, at: rangeName({ ...area, top: area.bottom, right: area.left }), cells: [row] };
}

async function textsOf(model: WorkbookModel, sheet: number, row: Range): Promise<readonly string[]> {
  const { rows } = await model.session.query({ type: "cells", sheet, range: row, skipsFiltered: false });
  const cells = rows[0]?.cells ?? [];
  return Array.from({ length: row.right - row.left + 1 }, (_, index) => cells[index]?.text ?? "");
}

function overlaps(one: Range | undefined, other: Range): boolean {
  return one !== undefined && one.top <= other.bottom && other.top <= one.bottom && one.left <= other.right && other.left <= one.right;
}
