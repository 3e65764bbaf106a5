/** Pasting: commands within the workbook, text and HTML tables of other programs, and images. */

import { readMark } from "@quadrille/editor";
import { cellName, clampCell, type Range, rangeName, sameRange, selectRange } from "@quadrille/grid";
import type { Command, PasteScope } from "@quadrille/protocol";
import { intoVisibleRows } from "../filter/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type PastedContent, type PasteTarget, pasteTarget } from "./clipboard.ts";
import { loadTables, type Tables } from "./load-external-tables.ts";

/** Pastes from a menu entry. Browsers ask for permission first. */
export async function pasteFromMenu(model: WorkbookModel, what: PasteScope): Promise<void> {
  model.focusCells();
  const target = pasteTarget(model);
  try {
    await model.clipboard.pendingContent;
    const [item] = await navigator.clipboard.read();
    const read = async (type: string): Promise<string> =>
      item?.types.includes(type) ? (await item.getType(type)).text() : "";
    const [html, text] = [await read("text/html"), await read("text/plain")];
    const type = item?.types.find((name) => name.startsWith("image/"));
    const image = type === undefined ? undefined : await item?.getType(type);
    pasteContents(model, { html, text, image }, what, target);
  } catch {
    model.toast(t("The browser does not allow pasting from a menu. Press Ctrl+V."), false, { icon: "info" });
  }
}

/** Pastes what a clipboard has: an image if it is alone, otherwise cells or text. */
export function pasteContents(model: WorkbookModel, content: PastedContent, what: PasteScope, target: PasteTarget): void {
  const { html, text, image } = content;
  if (image && isOnlyImage(html, text)) {
    void import("../images/insert-image.ts").then(({ insertImages }) => insertImages(model, [image], target.active));
  } else {
    pasteCells(model, html, text, what, target);
  }
}

/** Pastes cells of this workbook, or the content of another program. */
function pasteCells(model: WorkbookModel, html: string, text: string, what: PasteScope, at: PasteTarget): void {
  const { sheet } = at;
  const target = rangeName(at.range);
  const mark = readMark(html);
  const source = mark?.room === model.room ? mark : undefined;
  const copied = model.clipboard.copied();
  if (!source) {
    model.keys.waitForAnswer(loadTables(), (tables) => pasteForeign(model, html, text, what, at, tables));
  } else if (copied?.token === source.token && copied.isCut && what === "all") {
    sendPaste(model, { type: "cutPaste", fromSheet: source.sheet, source: source.range, sheet, target }, at.range);
    model.clipboard.forget();
  } else {
    const { sheet: fromSheet, range, leavingOut } = source;
    const left = leavingOut && { leavingOut };
    pasteIntoVisibleRows(model, { type: "copyPaste", fromSheet, source: range, sheet, target, what, ...left }, at);
  }
}

/** Pastes content of another program: a table with formats if there is one, otherwise text. */
function pasteForeign(model: WorkbookModel, html: string, text: string, what: PasteScope, at: PasteTarget, tables: Tables | undefined): void {
  const { sheet, range, active } = at;
  const table = tables?.readTable(html);
  if (tables && table && what !== "transposed") {
    const { top, left } = range;
    const [height, width] = [table.rows.length, table.rows[0]?.length ?? 1];
    pasteIntoVisibleRows(model, { type: "many", commands: [...tables.pasteCommands(table, sheet, range, what)] }, at);
    const last = clampCell(top + height - 1, left + width - 1);
    // Only if the selection has not moved in the meantime.
    if (model.sheet() === sheet && sameRange(model.range, range)) {
      model.grid?.select(selectRange({ top, left, bottom: last.row, right: last.column }), "none");
    }
  } else if (text !== "") {
    const paste: Command = { type: "pasteText", sheet, target: rangeName(range), text };
    const url = text.trim();
    // A single address becomes a link.
    const link: Command = { type: "setItem", sheet, kind: "link", anchors: [cellName(active)], fields: { url } };
    pasteIntoVisibleRows(model, what === "all" && tables?.isAddress(url) ? { type: "many", commands: [paste, link] } : paste, at);
  }
}

/** Pastes each row into a visible row of the target. */
function pasteIntoVisibleRows(model: WorkbookModel, command: Command, { sheet, range }: PasteTarget): void {
  sendPaste(model, intoVisibleRows(sheet, range.top, command, model.grid?.sortedRowsFrom(range.top)), range);
}

/**
 * Sends a paste. Pasted cells are accepted even if they violate data validation; violations are
 * marked and reported.
 */
export function sendPaste(model: WorkbookModel, command: Command, range: Range): void {
  const { entryChecks } = model;
  entryChecks.guard([range], () => {
    void entryChecks.reportViolations(command);
    model.command(command);
  });
}

/**
 * Whether the clipboard holds an image alone. Browsers copy an image with a line of HTML around its
 * address; spreadsheets add an image of the cells to the table.
 */
function isOnlyImage(html: string, text: string): boolean {
  return text.trim() === "" && !/<table/i.test(html);
}
