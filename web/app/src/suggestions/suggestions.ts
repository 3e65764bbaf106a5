/** Derives suggestions from items, and what they propose as text. */

import { type Cell, parseRange, type SuggestionMark } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { isolated, showNumber, t } from "../language/index.ts";

/** Contents that somebody proposes for a cell. */
export interface Suggestion {
  readonly id: number;
  readonly sheet: number;
  readonly cell: Cell;
  /** The proposed contents as text; empty if the cell is to be cleared. */
  readonly proposed: string;
  /** Whether the proposed content is a number. */
  readonly isNumber: boolean;
  readonly author: string;
  readonly authorId: string;
  readonly timeMs: number;
  readonly note: string;
}

/** The suggestions of one sheet, in the order of their cells. */
export function suggestionsOf(sheet: number, items: readonly ItemDetails[]): Suggestion[] {
  return items
    .flatMap(({ id, kind, anchors, fields }): Suggestion[] => {
      const range = kind === "suggestion" ? parseRange(anchors[0] ?? "") : undefined;
      const time = fields["time"];
      return range
        ? [
            {
              id,
              sheet,
              cell: { row: range.top, column: range.left },
              proposed: proposedText(text(fields["formula"]), text(fields["value"]), text(fields["numberFormat"])),
              isNumber: fields["formula"] === undefined && isNumber(text(fields["value"])),
              author: text(fields["author"]),
              authorId: text(fields["authorId"]),
              timeMs: typeof time === "number" ? time : 0,
              note: text(fields["text"]),
            },
          ]
        : [];
    })
    .sort((a, b) => a.cell.row - b.cell.row || a.cell.column - b.cell.column || a.timeMs - b.timeMs || a.id - b.id);
}

/** The suggestions for the active cell. */
export function suggestionsAt(model: WorkbookModel): Suggestion[] {
  const { row, column } = model.selection().active;
  const items = model.sheet() === undefined ? [] : model.items.list();
  return suggestionsOf(model.sheet() ?? 0, items).filter(({ cell }) => cell.row === row && cell.column === column);
}

/** The latest suggestion of each cell, as the grid draws and describes it. */
export function suggestionMarks(sheet: number, items: readonly ItemDetails[]): SuggestionMark[] {
  const latest = new Map<string, SuggestionMark>();
  for (const { cell, proposed, isNumber, author } of suggestionsOf(sheet, items)) {
    latest.set(`${cell.row},${cell.column}`, { cell, text: proposed, isNumber, description: description(author, proposed) });
  }
  return [...latest.values()];
}

function description(author: string, proposed: string): string {
  const name = isolated(author === "" ? t("Unknown") : author);
  return proposed === ""
    ? t("suggestion by {name}: clear this cell", { name })
    : t("suggestion by {name}: {text}", { name, text: isolated(proposed) });
}

/**
 * What a suggestion proposes. Values are the texts that read as them in the default locale; the
 * number format shows a date or a percentage as one.
 */
export function proposedText(formula: string, value: string, numberFormat: string): string {
  if (formula !== "" || !isNumber(value)) {
    return formula || value.replace(/^'/, "");
  }
  const number = Number(value);
  // Without the texts and colours of the format.
  const codes = numberFormat.replace(/"[^"]*"|\\.|\[(?![hms]+\])[^\]]*\]/gi, "").split(";")[0] ?? "";
  if (/[ymdhs]/i.test(codes) && !/general/i.test(codes)) {
    return dateText(number, /[hs]/i.test(codes), /[yd]|m{3}/i.test(codes));
  }
  return codes.includes("%") ? `${showNumber(number * 100)}%` : showNumber(number);
}

function isNumber(value: string): boolean {
  return /^-?\d+(\.\d+)?(e-?\d+)?$/i.test(value);
}

/** Days between the start of the date system and 1970-01-01, for dates after February 1900. */
const EPOCH_DAYS = 25_569;
const DAY_MS = 86_400_000;
const MINUTES_OF_DAY = 1_440;

function dateText(serial: number, hasTime: boolean, hasDate: boolean): string {
  if (!hasDate && serial >= 0) {
    const minutes = Math.round(serial * MINUTES_OF_DAY);
    return `${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`;
  }
  const date = new Date(Math.round((serial - EPOCH_DAYS) * DAY_MS));
  if (Number.isNaN(date.getTime())) {
    return showNumber(serial);
  }
  const [day = "", time = ""] = date.toISOString().split("T");
  return hasTime ? `${day} ${time.slice(0, 5)}` : day;
}

function padded(number: number): string {
  return String(number).padStart(2, "0");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
