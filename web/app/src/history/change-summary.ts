/** Describes the changes of revisions in the language of the page. */

import { direction, type Message, t } from "../language/index.ts";
import type { HistoryEntry, Revision } from "./history.ts";

/** Number of ranges that an entry names. */
export const RANGES_MAX = 4;

const KINDS: Readonly<Record<string, Message>> = {
  setCells: "Edited {place}",
  fillCells: "Edited {place}",
  setFormat: "Changed the format of {place}",
  restructure: "Inserted, deleted or moved rows or columns in {place}",
  setSizes: "Changed row or column sizes in {place}",
  permuteRows: "Sorted {place}",
  addSheet: "Added the sheet {place}",
  removeSheet: "Deleted a sheet",
  renameSheet: "Renamed a sheet to {place}",
  moveSheet: "Moved the sheet {place}",
  defineName: "Changed a named range",
  setHidden: "Hid or showed rows or columns in {place}",
  putItem: "Changed a chart, rule, comment or setting in {place}",
  patchItem: "Changed a chart, rule, comment or setting in {place}",
  removeItem: "Deleted a chart, rule or comment in {place}",
  tick: "Recalculated volatile functions",
};

/** Describes the changes of an editing session: each kind once, with its ranges. */
export function summary(revisions: readonly Revision[]): string[] {
  const renamings = revisions.flatMap(({ title }) => (title ? [describeRenaming(title)] : []));
  const operations = revisions.flatMap(({ title, operations }) =>
    // Renamings are described separately.
    title ? operations.filter(({ kind, sheet }) => sheet !== null || !kind.endsWith("Item")) : operations,
  );
  return [...renamings.slice(0, RANGES_MAX), ...summaryOf(operations)];
}

/** Describes operations: each kind once, with its ranges. */
export function summaryOf(operations: readonly HistoryEntry[]): string[] {
  const rangesOfKind = new Map<Message, string[]>();
  for (const operation of operations) {
    const isNaming = operation.sheet === null && /\bnamedVersion\b/.test(operation.words);
    const kind = isNaming ? ("Named a version" satisfies Message) : (KINDS[operation.kind] ?? ("Changed {place}" satisfies Message));
    const ranges = rangesOfKind.get(kind) ?? [];
    const range = rangeOf(operation);
    if (!ranges.includes(range)) {
      ranges.push(range);
    }
    rangesOfKind.set(kind, ranges);
  }
  return [...rangesOfKind].map(([kind, ranges]) => {
    const named = ranges.slice(0, RANGES_MAX).filter((range) => range !== "");
    // A combined change may not name the sheet.
    if (named.length === 0 && kind === KINDS["renameSheet"]) {
      return t("Renamed a sheet");
    }
    return t(kind, { place: joinRanges(named) + (ranges.length > RANGES_MAX ? "\u00a0…" : "") });
  });
}

/** Joins ranges; in a right-to-left language each is isolated. */
function joinRanges(ranges: readonly string[]): string {
  return direction() === "rtl" ? ranges.map(isolate).join("، ") : ranges.join(", ");
}

/** Isolates text that may have another direction than the sentence. */
export function isolate(text: string): string {
  return `\u2068${text}\u2069`;
}

function describeRenaming({ from, to }: NonNullable<Revision["title"]>): string {
  if (to === null) {
    return t("Removed the workbook name “{from}”", { from: isolate(from ?? "") });
  }
  return from === null
    ? t("Named the workbook “{to}”", { to: isolate(to) })
    : t("Renamed the workbook from “{from}” to “{to}”", { from: isolate(from), to: isolate(to) });
}

function rangeOf(operation: HistoryEntry): string {
  return [operation.sheet, operation.range].filter((part) => part !== null).join("!");
}
