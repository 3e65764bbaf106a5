/**
 * The commands for pasting a table: contents, then formats in as few rectangles as possible, merged
 * cells and links.
 */

import { cellName, type Range, rangeName } from "@quadrille/grid";
import type { Command, FormatChange, PasteScope } from "@quadrille/protocol";
import type { PastedTable } from "./html-table.ts";

/** Formats are left out of a paste that would need more commands than this. */
const FORMAT_COMMANDS_MAX = 4_000;

/** The commands for pasting `table` at the top left cell of `target`. */
export function pasteCommands(table: PastedTable, sheet: number, target: Range, what: PasteScope): readonly Command[] {
  const { top, left } = target;
  const height = table.rows.length;
  const width = table.rows[0]?.length ?? 0;
  const all: Range = { top, left, bottom: top + height - 1, right: left + width - 1 };
  const commands: Command[] = [];
  if (what !== "formats") {
    const cells = table.rows.map((row) => row.map((cell) => cell.content));
    commands.push({ type: "setCells", sheet, at: cellName({ row: top, column: left }), cells });
  }
  if (what === "values" || what === "contents") {
    return commands;
  }
  const formats = rectangles(table).map(({ format, ...range }) => ({
    type: "format" as const,
    sheet,
    range: rangeName({
      top: range.top + top,
      left: range.left + left,
      bottom: range.bottom + top,
      right: range.right + left,
    }),
    format,
  }));
  // Before the contents, as typed contents can set a number format.
  commands.unshift({ type: "clear", sheet, range: rangeName(all), what: "formats" });
  if (formats.length <= FORMAT_COMMANDS_MAX) {
    commands.push(...formats);
  }
  for (const { row, column, rows, columns } of table.merges) {
    const range = { top: top + row, left: left + column, bottom: top + row + rows - 1, right: left + column + columns - 1 };
    commands.push({ type: "merge", sheet, range: rangeName(range), how: "all" });
  }
  if (what === "all") {
    table.rows.forEach((cells, row) =>
      cells.forEach(({ link }, column) => {
        if (link !== undefined && commands.length < FORMAT_COMMANDS_MAX * 2) {
          const anchors = [cellName({ row: top + row, column: left + column })];
          commands.push({ type: "setItem", sheet, kind: "link", anchors, fields: { url: link } });
        }
      }),
    );
  }
  return commands;
}

/** Rectangles of cells with the same format, extended to the right first and then down. */
export function rectangles(table: PastedTable): readonly (Range & { readonly format: FormatChange })[] {
  const keys = table.rows.map((row) => row.map(({ format }) => JSON.stringify(format)));
  const result: (Range & { format: FormatChange })[] = [];
  const hasKey = (row: number, left: number, right: number, key: string): boolean => {
    for (let column = left; column <= right; column += 1) {
      if (keys[row]?.[column] !== key) {
        return false;
      }
    }
    return true;
  };
  keys.forEach((rowKeys, top) => {
    for (let left = 0; left < rowKeys.length; left += 1) {
      const key = rowKeys[left];
      if (key === undefined || key === "{}" || key === "") {
        continue;
      }
      let right = left;
      while (rowKeys[right + 1] === key) {
        right += 1;
      }
      let bottom = top;
      while (hasKey(bottom + 1, left, right, key)) {
        bottom += 1;
      }
      for (let row = top; row <= bottom; row += 1) {
        keys[row]?.fill("", left, right + 1);
      }
      result.push({ top, left, bottom, right, format: table.rows[top]?.[left]?.format ?? {} });
    }
  });
  return result;
}
