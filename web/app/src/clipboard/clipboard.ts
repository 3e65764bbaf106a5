/** Copy, cut and paste: commands within the workbook, text and HTML tables with other programs. */

import { type ClipboardSource, markTable, readMark } from "@quadrille/editor";
import {
  Axis,
  type Cell,
  cellName,
  clampCell,
  COLUMN_WIDTH_PX,
  COLUMNS_MAX,
  type Range,
  rangeName,
  ROW_HEIGHT_PX,
  ROWS_MAX,
  sameRange,
  selectRange,
  type SortedSelection,
} from "@quadrille/grid";
import type { CellTable, Command, PasteScope } from "@quadrille/protocol";
import { tableText } from "./copy/plain-text.ts";
import { loadTables, type Tables } from "./load-external-tables.ts";
import { intoVisibleRows } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

/** The copied range with the mark that identifies it on the clipboard. */
export interface CopySource extends ClipboardSource {
  readonly isCut: boolean;
  readonly cells: Range;
}

interface ClipboardContent {
  readonly text: string;
  readonly html: string;
}

type HiddenRows = CellTable["leftOut"];

interface ReadResult {
  readonly copied: ClipboardContent;
  readonly isCutShort: boolean;
  readonly leftOut: HiddenRows;
}

/**
 * The target of a paste: the selection at the time of the request, even if the selection changes
 * while the clipboard is read.
 */
interface PasteTarget {
  readonly sheet: number;
  readonly range: Range;
  readonly active: Cell;
}

/** The clipboard of one workbook. */
export class Clipboard {
  private readonly model: WorkbookModel;
  /** Source of the last copy in this tab. */
  private source: CopySource | undefined;
  /** Content for the `copy` event that the page is about to raise. */
  private eventContent: ClipboardContent | undefined;
  private nextPasteScope: PasteScope = "all";
  /**
   * Content that is still being read from the engine, in the form in which it will be on the
   * clipboard.
   */
  private pendingContent: Promise<ClipboardContent> | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The copied range to frame on this sheet. */
  copiedRange(sheet: number): Range | undefined {
    return this.source?.sheet === sheet ? this.source.cells : undefined;
  }

  /** Source of the last copy in this tab. */
  copied(): CopySource | undefined {
    return this.source;
  }

  /** Handles a `copy` or `cut` event of the cell field. */
  copy(event: ClipboardEvent, isCut: boolean): void {
    if (this.model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    if (!this.fillEvent(event)) {
      void this.copySelection(isCut);
    }
  }

  private fillEvent(event: ClipboardEvent): boolean {
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
    const { range } = model;
    const sheet = model.sheetId();
    const write = startWrite();
    const origin = { token: randomToken(), room: model.room, sheet, range: rangeName(range) };
    this.source = { ...origin, isCut, cells: range };
    model.grid?.setCopied(range);
    const reading = this.read(sheet, range);
    // A cut moves the rows that a filter hides, too.
    const from = (leavingOut: HiddenRows): ClipboardSource => ({ ...origin, ...(leavingOut.length > 0 && !isCut && { leavingOut }) });
    const pendingContent = reading.then(({ copied: { text, html }, leftOut }) => ({ text, html: markTable(html, from(leftOut)) }));
    this.pendingContent = pendingContent;
    const { copied, isCutShort, leftOut } = await reading;
    const source = from(leftOut);
    if (this.source?.token === source.token) {
      this.source = { ...source, isCut, cells: range };
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
    const { model } = this;
    const write = startWrite();
    this.forget();
    const ascending = rows.toSorted((a, b) => a - b);
    const range = { top: ascending[0] ?? 0, bottom: ascending.at(-1) ?? 0, left, right };
    const reading = this.read(model.sheetId(), range, rows);
    const pendingContent = reading.then(({ copied }) => copied);
    this.pendingContent = pendingContent;
    const { copied, isCutShort } = await reading;
    const isCopied = await this.write(copied, write);
    if (this.pendingContent === pendingContent) {
      this.pendingContent = undefined;
    }
    if (isCopied && isCutShort) {
      model.toast(t("The selected rows are too far apart in the sheet to be copied as a whole."), true);
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
   * The content for other programs: the range without the rows that a filter hides, or these rows of
   * it in their order.
   */
  private async read(sheet: number, range: Range, order?: readonly number[]): Promise<ReadResult> {
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
    const tables = await loadTables();
    const html = window && tables
      ? tables.tableHtml({ table, window, widthPx: (column) => columns.size(column), heightPx: (row) => rows.size(row) })
      : "";
    return { copied: { text: tableText(table), html }, isCutShort: table.isCutShort, leftOut: table.leftOut };
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

  /** Handles a `paste` event of the cell field. */
  paste(event: ClipboardEvent): void {
    if (this.model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    const what = this.nextPasteScope;
    this.nextPasteScope = "all";
    const { keys } = this.model;
    // The content of the last copy has not reached the clipboard yet; paste that instead of the
    // older clipboard content.
    const copied = this.pendingContent;
    if (copied) {
      keys.enqueue(() => {
        const target = this.target();
        keys.waitForAnswer(copied, ({ html, text }) => this.pasteContent(html, text, what, target));
      });
      return;
    }
    const html = event.clipboardData?.getData("text/html") ?? "";
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const image = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    keys.enqueue(() => this.pasteContents({ html, text, image }, what, this.target()));
  }

  /** Makes the next `paste` event paste values only. */
  pasteValuesNext(): void {
    this.nextPasteScope = "values";
  }

  /** Pastes from a menu entry. Browsers ask for permission first. */
  async pasteFromMenu(what: PasteScope): Promise<void> {
    this.model.focusCells();
    const target = this.target();
    try {
      await this.pendingContent;
      const [item] = await navigator.clipboard.read();
      const read = async (type: string): Promise<string> =>
        item?.types.includes(type) ? (await item.getType(type)).text() : "";
      const [html, text] = [await read("text/html"), await read("text/plain")];
      const type = item?.types.find((name) => name.startsWith("image/"));
      const image = type === undefined ? undefined : await item?.getType(type);
      this.pasteContents({ html, text, image }, what, target);
    } catch {
      this.model.toast(t("The browser does not allow pasting from a menu. Press Ctrl+V."), false, { icon: "info" });
    }
  }

  private target(): PasteTarget {
    const { model } = this;
    return { sheet: model.sheetId(), ...pasteCells(model) };
  }

  private pasteContents(content: ClipboardContent & { readonly image: Blob | undefined }, what: PasteScope, target: PasteTarget): void {
    const { html, text, image } = content;
    if (image && isOnlyImage(html, text)) {
      const { model } = this;
      void import("../images/insert-image.ts").then(({ insertImages }) => insertImages(model, [image], target.active));
    } else {
      this.pasteContent(html, text, what, target);
    }
  }

  private pasteContent(html: string, text: string, what: PasteScope, at: PasteTarget): void {
    const { model } = this;
    const { sheet } = at;
    const target = rangeName(at.range);
    const mark = readMark(html);
    const source = mark?.room === model.room ? mark : undefined;
    if (!source) {
      model.keys.waitForAnswer(loadTables(), (tables) => this.pasteForeign(html, text, what, at, tables));
    } else if (this.source?.token === source.token && this.source.isCut && what === "all") {
      this.send({ type: "cutPaste", fromSheet: source.sheet, source: source.range, sheet, target }, at.range);
      this.forget();
    } else {
      const { sheet: fromSheet, range, leavingOut } = source;
      const left = leavingOut && { leavingOut };
      this.pasteIntoVisibleRows({ type: "copyPaste", fromSheet, source: range, sheet, target, what, ...left }, at);
    }
  }

  /** Pastes content of another program: a table with formats if there is one, otherwise text. */
  private pasteForeign(html: string, text: string, what: PasteScope, at: PasteTarget, tables: Tables | undefined): void {
    const { model } = this;
    const { sheet, range, active } = at;
    const table = tables?.readTable(html);
    if (tables && table && what !== "transposed") {
      const { top, left } = range;
      const [height, width] = [table.rows.length, table.rows[0]?.length ?? 1];
      this.pasteIntoVisibleRows({ type: "many", commands: [...tables.pasteCommands(table, sheet, range, what)] }, at);
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
      this.pasteIntoVisibleRows(what === "all" && tables?.isAddress(url) ? { type: "many", commands: [paste, link] } : paste, at);
    }
  }

  /** Pastes each row into a visible row of the target. */
  private pasteIntoVisibleRows(command: Command, { sheet, range }: PasteTarget): void {
    this.send(intoVisibleRows(sheet, range.top, command, this.model.grid?.sortedRowsFrom(range.top)), range);
  }

  /**
   * Sends a paste. Pasted cells are accepted even if they violate data validation; violations are
   * marked and reported.
   */
  send(command: Command, range: Range): void {
    const { entryChecks } = this.model;
    entryChecks.guard([range], () => {
      void entryChecks.reportViolations(command);
      this.model.command(command);
    });
  }

  /** Ends the copy: removes the frame around the copied cells. */
  forget(): void {
    this.source = undefined;
    this.model.grid?.setCopied(undefined);
  }
}

/** The cells to paste into: in a sorted view from the topmost selected cell on the screen. */
function pasteCells(model: WorkbookModel): { readonly range: Range; readonly active: Cell } {
  const sorted = model.grid?.sortedSelection;
  const row = sorted?.rows[0];
  if (!sorted || row === undefined) {
    return { range: model.range, active: model.selection().active };
  }
  return { range: { top: row, bottom: row, left: sorted.left, right: sorted.right }, active: { row, column: sorted.left } };
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
 * Whether the clipboard holds an image alone. Browsers copy an image with a line of HTML around its
 * address; spreadsheets add an image of the cells to the table.
 */
function isOnlyImage(html: string, text: string): boolean {
  return text.trim() === "" && !/<table/i.test(html);
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
