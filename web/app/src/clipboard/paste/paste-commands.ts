/** What pasting a table does, as commands: contents, then looks in as few rectangles as they take, merges, links. */

import { cellName, type Range, rangeName } from "@quadrille/grid";
import type { Command, FormatChange, PasteScope } from "@quadrille/protocol";
import type { PastedTable } from "./html-table.ts";

/** Commands beyond this are not sent: the looks of such a table are left out. */
const LOOKS_MAX = 4_000;

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
  const looks = rectangles(table).map(({ format, ...range }) => ({
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
  // Before the contents: what is typed may bring a number format of its own.
  commands.unshift({ type: "clear", sheet, range: rangeName(all), what: "formats" });
  if (looks.length <= LOOKS_MAX) {
    commands.push(...looks);
  }
  for (const { row, column, rows, columns } of table.merges) {
    const range = { top: top + row, left: left + column, bottom: top + row + rows - 1, right: left + column + columns - 1 };
    commands.push({ type: "merge", sheet, range: rangeName(range), how: "all" });
  }
  if (what === "all") {
    table.rows.forEach((cells, row) =>
      cells.forEach(({ link }, column) => {
        if (link !== undefined && commands.length < LOOKS_MAX * 2) {
          const anchors = [cellName({ row: top + row, column: left + column })];
          commands.push({ type: "setItem", sheet, kind: "link", anchors, fields: { url: link } });
        }
      }),
    );
  }
  return commands;
}

/** Cells of one look, grown to the right and then down. */
export function rectangles(table: PastedTable): readonly (Range & { readonly format: FormatChange })[] {
  const keys = table.rows.map((row) => row.map(({ format }) => JSON.stringify(format)));
  const found: (Range & { format: FormatChange })[] = [];
  const isOf = (row: number, left: number, right: number, key: string): boolean => {
    for (let column = left; column <= right; column += 1) {
      if (keys[row]?.[column] !== key) {
        return false;
      }
    }
    return true;
  };
  keys.forEach((row, top) => {
    for (let left = 0; left < row.length; left += 1) {
      const key = row[left];
      if (key === undefined || key === "{}" || key === "") {
        continue;
      }
      let right = left;
      while (row[right + 1] === key) {
        right += 1;
      }
      let bottom = top;
      while (isOf(bottom + 1, left, right, key)) {
        bottom += 1;
      }
      for (let line = top; line <= bottom; line += 1) {
        keys[line]?.fill("", left, right + 1);
      }
      found.push({ top, left, bottom, right, format: table.rows[top]?.[left]?.format ?? {} });
    }
  });
  return found;
}
