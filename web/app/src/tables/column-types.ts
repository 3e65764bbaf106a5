/** Types of the columns of tables: a number format, data validation or data bars for all rows of a column. */

import { type Cell, contains, parseRange, type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { numberFormats } from "../formatting/index.ts";
import { language, type Message, t, withoutIsolates } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { subtract } from "./subtract-range.ts";
import { fieldsOfRule, ruleOf } from "../validation/index.ts";
import { tableAt } from "./tables.ts";

/** The type of a column. */
export type ColumnType = "automatic" | "text" | "number" | "currency" | "percent" | "date" | "dropdown" | "checkbox" | "people" | "rating" | "progress";

/** The types in the order of the menu. */
export const COLUMN_TYPES: readonly (readonly [type: ColumnType, name: Message])[] = [
  ["automatic", "Automatic"],
  ["text", "Text"],
  ["number", "Number"],
  ["currency", "Currency"],
  ["percent", "Percent"],
  ["date", "Date"],
  ["dropdown", "Dropdown"],
  ["checkbox", "Checkbox"],
  ["people", "People"],
  ["rating", "Rating"],
  ["progress", "Progress"],
];

/** The types that are data validation rules. */
const TYPES_OF_RULES: Readonly<Record<string, ColumnType>> = { list: "dropdown", checkbox: "checkbox", people: "people", rating: "rating" };

/** Distinct values of a column that become the choices of a dropdown list, at most. */
const CHOICES_MAX = 50;

/** The rows of a table below its header and above its totals, in the column of `cell`. */
export function columnAt(model: WorkbookModel, cell: Cell): Range | undefined {
  const table = tableAt(model, cell);
  const range = parseRange(table?.anchors[0] ?? "");
  if (!table || !range) {
    return undefined;
  }
  const top = range.top + (table.fields["headerRow"] === false ? 0 : 1);
  const bottom = range.bottom - (table.fields["totalRow"] === true ? 1 : 0);
  return top > bottom ? undefined : { top, bottom, left: cell.column, right: cell.column };
}

/** The type of a column; columns with several or other formats are automatic. */
export async function typeOfColumn(model: WorkbookModel, column: Range): Promise<ColumnType> {
  const items = await model.items.settled();
  const ofColumn = items.filter((item) => coversFirst(item, column));
  const rule = ofColumn.findLast(({ kind }) => kind === "validation");
  const type = rule && TYPES_OF_RULES[ruleOf(rule.fields)];
  if (type) {
    return type;
  }
  if (ofColumn.some(({ kind, fields }) => kind === "conditionalRule" && fields["rule"] === "dataBar")) {
    return "progress";
  }
  const { format } = await model.session.query({ type: "cell", sheet: model.sheetId(), cell: { row: column.top, column: column.left } });
  const code = format.numberFormat ?? null;
  return (["text", "number", "currency", "percent", "date"] as const).find((type) => codesOf(type).includes(code)) ?? "automatic";
}

/** Gives a column a type in one command: its format, and instead of other rules those of the type. */
export async function setColumnType(model: WorkbookModel, column: Range, type: ColumnType): Promise<void> {
  const sheet = model.sheetId();
  const range = rangeName(column);
  const items = await model.items.settled();
  const replaced = items.filter(({ kind, fields }) => kind === "validation" || (kind === "conditionalRule" && fields["rule"] === "dataBar"));
  const commands: Command[] = replaced.flatMap((item) => withoutColumn(sheet, item, column));
  commands.push({ type: "format", sheet, range, format: { numberFormat: codesOf(type)[0] ?? null } });
  const add = (kind: string, fields: Record<string, ItemValue>): void => {
    commands.push({ type: "setItem", sheet, item: newItemId(), kind, anchors: [range], fields });
  };
  if (type === "checkbox" || type === "people" || type === "rating") {
    add("validation", fieldsOfRule(type));
  } else if (type === "dropdown") {
    add("validation", { rule: "list", displayStyle: "chip", choices: await choicesFor(model, column), strictness: "stop" });
  } else if (type === "progress") {
    add("conditionalRule", { rule: "dataBar", color: "#8fd3c1", stops: [{ at: "number", value: 0 }, { at: "number", value: 1 }], priority: 0 });
  }
  model.command({ type: "many", commands });
}

/** Number formats of a type; a new column gets the first one. */
function codesOf(type: ColumnType): readonly (string | null)[] {
  const formats = numberFormats(language());
  const code = (...names: readonly Message[]): readonly (string | null)[] =>
    names.flatMap((name) => formats.filter((format) => format.name === name).map((format) => format.code));
  switch (type) {
    case "text":
      return code("Text");
    case "number":
      return code("Number", "Whole number");
    case "currency": {
      const local = code("Yen", "Yuan", "New Taiwan dollar");
      return [...local, ...(["de", "fr", "es"].includes(language()) ? code("Euro", "Dollar") : code("Dollar", "Euro"))];
    }
    case "percent":
    case "progress":
      return code("Percent", "Percent, 2 decimals");
    case "date":
      return code("Date", "Long date");
    default:
      return [null];
  }
}

/** The distinct texts of the column; for a blank column two examples. */
async function choicesFor(model: WorkbookModel, column: Range): Promise<string[]> {
  const values = await model.session.query({ type: "columnValues", sheet: model.sheetId(), range: column, column: column.left });
  const ordered = values.filter(({ text }) => text !== "").sort((a, b) => (a.rows[0]?.[0] ?? 0) - (b.rows[0]?.[0] ?? 0));
  const texts = ordered.slice(0, CHOICES_MAX).map(({ text }) => text);
  return texts.length > 0 ? texts : [1, 2].map((number) => withoutIsolates(t("Choice {number}", { number })));
}

function coversFirst(item: ItemDetails, column: Range): boolean {
  const first = { row: column.top, column: column.left };
  return item.anchors.some((anchor) => {
    const range = parseRange(anchor);
    return range !== undefined && contains(range, first);
  });
}

/** The commands that take a column out of the ranges of a rule. */
function withoutColumn(sheet: number, item: ItemDetails, column: Range): readonly Command[] {
  const ranges = item.anchors.flatMap((anchor) => parseRange(anchor) ?? []);
  const left = ranges.flatMap((range) => subtract(range, column));
  if (left.length === ranges.length && left.every((range, index) => range === ranges[index])) {
    return [];
  }
  return left.length === 0
    ? [{ type: "removeItem", sheet, item: item.id }]
    : [{ type: "setItem", sheet, item: item.id, anchors: left.map(rangeName), fields: {} }];
}
