/** Copying and cutting cells, for this workbook and for other programs. */

import { type ClipboardSource, markTable } from "@quadrille/editor";
import { Axis, COLUMN_WIDTH_PX, COLUMNS_MAX, type Range, rangeName, ROW_HEIGHT_PX, ROWS_MAX, type SortedSelection } from "@quadrille/grid";
import type { CellTable } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { ClipboardContent } from "./clipboard.ts";
import type { CopiedSheet } from "./copy/html-table.ts";
import { type JoinedRanges, joinedRanges, joinedRows } from "./copy/joined-ranges.ts";
import { tableText } from "./copy/plain-text.ts";
import { loadTables } from "./load-external-tables.ts";

type HiddenRows = CellTable["leftOut"];

interface ReadResult {
  readonly copied: ClipboardContent;
  readonly isCutShort: boolean;
  readonly leftOut: HiddenRows;
}

/** Copies cells of one workbook. */
export class Copying {
  private readonly model: WorkbookModel;
  /** Content for the `copy` event that the page is about to raise. */
  private eventContent: ClipboardContent | undefined;
  /**
   * Content that is still being read from the engine, in the form in which it will be on the
   * clipboard.
   */
  pendingContent: Promise<ClipboardContent> | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Gives a `copy` event that the page has raised its content. Returns whether it is such an event. */
  fillEvent(event: ClipboardEvent): boolean {
    if (!this.eventContent) {
      return false;
    }
    event.clipboardData?.setData("text/plain", this.eventContent.text);
    event.clipboardData?.setData("text/html", this.eventContent.html);
    this.eventContent = undefined;
    return true;
  }

  /**
   * Copies the selection. The answer of the engine comes after the event of the key has ended, so a
   * second `copy` event is raised when the content is there.
   */
  async copySelection(isCut: boolean): Promise<void> {
    const { model } = this;
    const sorted = model.grid?.sortedSelection;
    if (sorted && isCut) {
      model.toast(t("In a sorted view this needs rows that are next to each other in the sheet."), false, { icon: "info" });
      return;
    }
    if (sorted) {
      await this.copySorted(sorted);
      return;
    }
    const { ranges } = model.selection();
    if (ranges.length > 1) {
      const joined = isCut ? undefined : joinedRanges(ranges);
      if (joined) {
        await this.copyValues(() => this.read(model.sheetId(), joined), t("The selected cells are too many to be copied as a whole."));
      } else {
        model.toast(isCut ? t("Several selected ranges cannot be cut at once.") : t("Only ranges with the same rows or the same columns can be copied together."), true);
      }
      return;
    }
    const { range } = model;
    const sheet = model.sheetId();
    const write = startWrite();
    const origin = { token: randomToken(), room: model.room, sheet, range: rangeName(range) };
    model.clipboard.setSource({ ...origin, isCut, cells: range });
    const reading = this.read(sheet, { ranges: [range], areStacked: true });
    // A cut moves the rows that a filter hides, too.
    const from = (leavingOut: HiddenRows): ClipboardSource => ({ ...origin, ...(leavingOut.length > 0 && !isCut && { leavingOut }) });
    const pendingContent = reading.then(({ copied: { text, html }, leftOut }) => ({ text, html: markTable(html, from(leftOut)) }));
    this.pendingContent = pendingContent;
    const { copied, isCutShort, leftOut } = await reading;
    const source = from(leftOut);
    if (model.clipboard.copied()?.token === source.token) {
      model.clipboard.setSource({ ...source, isCut, cells: range });
    }
    const isCopied = await this.write({ text: copied.text, html: markTable(copied.html, source) }, write);
    if (this.pendingContent === pendingContent) {
      this.pendingContent = undefined;
    }
    if (isCopied && isCutShort) {
      model.toast(t("Other programs receive only part of this copy. Pasting in this workbook copies everything."), false, { icon: "info" });
    }
  }

  /**
   * Copies rows that are apart in the sheet, as they are displayed: with values and formats, as for
   * other programs, since formulas relate to the rows of the sheet.
   */
  private async copySorted({ rows, left, right }: SortedSelection): Promise<void> {
    const ascending = rows.toSorted((a, b) => a - b);
    const range = { top: ascending[0] ?? 0, bottom: ascending.at(-1) ?? 0, left, right };
    const reading = () => this.read(this.model.sheetId(), { ranges: [range], areStacked: true }, rows);
    await this.copyValues(reading, t("The selected rows are too far apart in the sheet to be copied as a whole."));
  }

  /** Copies cells of several places with values and formats, as for other programs. */
  private async copyValues(read: () => Promise<ReadResult>, cutShortText: string): Promise<void> {
    const { model } = this;
    const write = startWrite();
    model.clipboard.forget();
    const reading = read();
    const pendingContent = reading.then(({ copied }) => copied);
    this.pendingContent = pendingContent;
    const { copied, isCutShort } = await reading;
    const isCopied = await this.write(copied, write);
    if (this.pendingContent === pendingContent) {
      this.pendingContent = undefined;
    }
    if (isCopied && isCutShort) {
      model.toast(cutShortText, true);
    }
  }

  /** Puts the content on the clipboard; returns whether the browser allowed it, and says so if not. */
  private async write(content: ClipboardContent, write: ReturnType<typeof startWrite>): Promise<boolean> {
    this.eventContent = content;
    const isRaised = this.raiseCopy();
    this.eventContent = undefined;
    const isWritten = await write(isRaised ? undefined : content);
    const isCopied = isRaised || isWritten;
    if (!isCopied) {
      this.model.toast(t("The browser blocked access to the clipboard. Try again."), true);
    }
    return isCopied;
  }

  /**
   * The content for other programs: the ranges without the rows that a filter hides, or these rows of
   * them in their order.
   */
  private async read(sheet: number, { ranges, areStacked }: JoinedRanges, order?: readonly number[]): Promise<ReadResult> {
    const parts = await Promise.all(ranges.map((range) => this.readRange(sheet, range, order)));
    const read = parts.map(({ table }) => table);
    const tables = await loadTables();
    const sheets = parts.flatMap(({ table, window, widthPx, heightPx }) => (window ? { table, window, widthPx, heightPx } : []));
    return {
      copied: {
        text: tableText(joinedRows(read, areStacked)),
        html: tables && sheets.length === parts.length ? tables.tableHtml(sheets, areStacked) : "",
      },
      isCutShort: read.some(({ isCutShort }) => isCutShort),
      leftOut: read[0]?.leftOut ?? [],
    };
  }

  private async readRange(sheet: number, range: Range, order: readonly number[] | undefined): Promise<Omit<CopiedSheet, "window"> & { readonly window: CopiedSheet["window"] | undefined }> {
    const { session } = this.model;
    const all = await session.query({ type: "cells", sheet, range, skipsFiltered: true });
    const table = order ? inOrder(all, order) : all;
    const bottom = all.rows.at(-1)?.row ?? range.top;
    const right = all.left + (all.rows[0]?.cells.length ?? 1) - 1;
    const view = await session.queryView(sheet, [{ top: all.rows[0]?.row ?? range.top, left: all.left, bottom, right }]);
    const [window] = view.windows;
    const { rowRuns, columnRuns } = view.shape;
    const rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, rowRuns, [], 1);
    const columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, columnRuns, [], 1);
    return { table, window, widthPx: (column) => columns.size(column), heightPx: (row) => rows.size(row) };
  }

  /** Makes the browser raise `copy`; some browsers do so only when a field has selected text. */
  private raiseCopy(): boolean {
    const field = this.model.cellEdit.field("cell");
    if (!field || this.model.cellEdit.edit() || isOtherFocus(document.activeElement, field)) {
      return this.raiseCopyWithoutField();
    }
    this.model.focusCells();
    field.value = " ";
    field.select();
    const isRaised = document.execCommand("copy");
    field.value = "";
    return isRaised && this.eventContent === undefined;
  }

  /**
   * Raises `copy` without moving the focus away from another field. Not every browser raises it
   * without a selection.
   */
  private raiseCopyWithoutField(): boolean {
    const controller = new AbortController();
    const options = { capture: true, signal: controller.signal };
    // In Chromium a canceled `beforecopy` enables the copy command.
    document.addEventListener("beforecopy", (event) => event.preventDefault(), options);
    document.addEventListener(
      "copy",
      (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        this.fillEvent(event);
      },
      options,
    );
    const isRaised = document.execCommand("copy");
    controller.abort();
    return isRaised && this.eventContent === undefined;
  }
}

/** The rows of a table in another order; those that it does not have are left out. */
function inOrder(table: CellTable, rows: readonly number[]): CellTable {
  const byRow = new Map(table.rows.map((row) => [row.row, row]));
  const ordered = rows.flatMap((row) => byRow.get(row) ?? []);
  return { ...table, rows: ordered, isCutShort: table.isCutShort && ordered.length < rows.length };
}

/**
 * Whether the focus is in another field, or in a menu or dialog that would close if it lost the
 * focus.
 */
function isOtherFocus(element: Element | null, cells: HTMLElement): boolean {
  return element !== cells && (element?.closest("input, textarea, select, [role=menu], [role=dialog]") ?? null) !== null;
}

/**
 * Asks the asynchronous clipboard API to write content that follows, for browsers that do not let a
 * page raise `copy` at that point: WebKit allows it during the press of the key alone. It requires
 * HTTPS. The returned function writes the content, or nothing if there is none.
 */
function startWrite(): (content: ClipboardContent | undefined) => Promise<boolean> {
  let answer: (content: ClipboardContent | undefined) => void = () => undefined;
  const content = new Promise<ClipboardContent>((done, cancel) => {
    answer = (given) => (given ? done(given) : cancel(new DOMException("not needed", "AbortError")));
  });
  const blob = (type: string, part: (whole: ClipboardContent) => string): Promise<Blob> => content.then((whole) => new Blob([part(whole)], { type }));
  const parts = { "text/plain": blob("text/plain", ({ text }) => text), "text/html": blob("text/html", ({ html }) => html) };
  for (const part of Object.values(parts)) {
    part.catch(() => undefined);
  }
  let written: Promise<boolean>;
  try {
    written = navigator.clipboard.write([new ClipboardItem(parts)]).then(
      () => true,
      () => false,
    );
  } catch {
    written = Promise.resolve(false);
  }
  return (given) => {
    answer(given);
    return written;
  };
}

/** A random identifier; `crypto.randomUUID` requires HTTPS. */
function randomToken(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join("");
}
