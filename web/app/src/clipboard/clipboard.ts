/** Copy, cut and paste: within the workbook as commands, with other programs as text and tables. */

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
} from "@quadrille/grid";
import type { CellTable, Command, PasteScope } from "@quadrille/protocol";
import { tableText } from "./copy/plain-text.ts";
import { loadTables, type Tables } from "./load-external-tables.ts";
import { scrollIntoView } from "../filter/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

export interface CopySource extends ClipboardSource {
  readonly isCut: boolean;
  readonly cells: Range;
}

interface Copied {
  readonly text: string;
  readonly html: string;
}

type Hidden = CellTable["leftOut"];

interface Reading {
  readonly copied: Copied;
  readonly isCutShort: boolean;
  readonly leftOut: Hidden;
}

/** Where a paste goes: what is selected when it is asked for, wherever people are when the content has been read. */
interface Target {
  readonly sheet: number;
  readonly range: Range;
  readonly active: Cell;
}

export class Clipboard {
  private readonly model: WorkbookModel;
  /** What was copied last in this page. */
  private source: CopySource | undefined;
  /** Text for the `copy` event that is about to be raised. */
  private inHand: { readonly copied: Copied; readonly source: ClipboardSource } | undefined;
  private pastes: PasteScope = "all";
  /** What is being copied and has yet to reach the clipboard, as a paste there would find it. */
  private onItsWay: Promise<Copied> | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** What to frame on this sheet. */
  framed(sheet: number): Range | undefined {
    return this.source?.sheet === sheet ? this.source.cells : undefined;
  }

  /** What was copied last in this page. */
  copied(): CopySource | undefined {
    return this.source;
  }

  /** The field over the cells raised `copy` or `cut`. */
  copy(event: ClipboardEvent, isCut: boolean): void {
    if (this.model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    if (!this.handOver(event)) {
      void this.copySelection(isCut);
    }
  }

  private handOver(event: ClipboardEvent): boolean {
    if (!this.inHand) {
      return false;
    }
    const { copied, source } = this.inHand;
    event.clipboardData?.setData("text/plain", copied.text);
    event.clipboardData?.setData("text/html", markTable(copied.html, source));
    this.inHand = undefined;
    return true;
  }

  /** The engine's answer comes too late for the event of the key, so another is raised when it is here. */
  async copySelection(isCut: boolean): Promise<void> {
    const { model } = this;
    const { range } = model;
    const sheet = model.sheetId();
    const place = { token: randomToken(), room: model.room, sheet, range: rangeName(range) };
    this.source = { ...place, isCut, cells: range };
    model.grid?.setCopied(range);
    const reading = this.read(sheet, range);
    // What is moved, is moved with what a filter hides in it.
    const from = (leavingOut: Hidden): ClipboardSource => ({ ...place, ...(leavingOut.length > 0 && !isCut && { leavingOut }) });
    const onItsWay = reading.then(({ copied: { text, html }, leftOut }) => ({ text, html: markTable(html, from(leftOut)) }));
    this.onItsWay = onItsWay;
    const { copied, isCutShort, leftOut } = await reading;
    const source = from(leftOut);
    if (this.source?.token === source.token) {
      this.source = { ...source, isCut, cells: range };
    }
    this.inHand = { copied, source };
    const isRaised = this.raiseCopy();
    this.inHand = undefined;
    const isCopied = isRaised || (await writeClipboard(copied.text, markTable(copied.html, source)));
    if (this.onItsWay === onItsWay) {
      this.onItsWay = undefined;
    }
    if (!isCopied) {
      model.toast(t("The browser did not let this page write to the clipboard. Please try again."), true);
    } else if (isCutShort) {
      model.toast(t("Other programs receive only part of this copy. Pasting in this workbook copies everything."), false, { icon: "info" });
    }
  }

  /** What other programs get: all of the range but rows that a filter hides. */
  private async read(sheet: number, range: Range): Promise<Reading> {
    const { session } = this.model;
    const table = await session.query({ type: "cells", sheet, range, skipsFiltered: true });
    const bottom = table.rows.at(-1)?.row ?? range.top;
    const right = table.left + (table.rows[0]?.cells.length ?? 1) - 1;
    const look = await session.queryView(sheet, [{ top: table.rows[0]?.row ?? range.top, left: table.left, bottom, right }]);
    const [window] = look.windows;
    const { rowRuns, columnRuns } = look.shape;
    const rows = Axis.of(ROWS_MAX, ROW_HEIGHT_PX, rowRuns, [], 1);
    const columns = Axis.of(COLUMNS_MAX, COLUMN_WIDTH_PX, columnRuns, [], 1);
    const tables = await loadTables();
    const html = window && tables
      ? tables.tableHtml({ table, window, widthPx: (column) => columns.size(column), heightPx: (row) => rows.size(row) })
      : "";
    return { copied: { text: tableText(table), html }, isCutShort: table.isCutShort, leftOut: table.leftOut };
  }

  /** Has the browser raise `copy`; some do so only when the field has text selected. */
  private raiseCopy(): boolean {
    const field = this.model.cellEdit.field("cell");
    if (!field || this.model.cellEdit.edit() || isElsewhere(document.activeElement, field)) {
      return this.raiseCopyAside();
    }
    this.model.focusCells();
    field.value = " ";
    field.select();
    const isRaised = document.execCommand("copy");
    field.value = "";
    return isRaised && this.inHand === undefined;
  }

  /** Somebody is elsewhere by now and keeps the keyboard. Not every browser raises `copy` where nothing is selected. */
  private raiseCopyAside(): boolean {
    const controller = new AbortController();
    const options = { capture: true, signal: controller.signal };
    // Chromium takes this for the word that there is something to copy.
    document.addEventListener("beforecopy", (event) => event.preventDefault(), options);
    document.addEventListener(
      "copy",
      (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        this.handOver(event);
      },
      options,
    );
    const isRaised = document.execCommand("copy");
    controller.abort();
    return isRaised && this.inHand === undefined;
  }

  paste(event: ClipboardEvent): void {
    if (this.model.cellEdit.edit()) {
      return;
    }
    event.preventDefault();
    const what = this.pastes;
    this.pastes = "all";
    const { keys } = this.model;
    // Faster than the engine told what was copied: that is pasted, not what the clipboard held before.
    const copied = this.onItsWay;
    if (copied) {
      keys.inTurn(() => {
        const target = this.target();
        keys.ask(copied, ({ html, text }) => this.pasteContent(html, text, what, target));
      });
      return;
    }
    const html = event.clipboardData?.getData("text/html") ?? "";
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const image = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    keys.inTurn(() => this.pasteFound({ html, text, image }, what, this.target()));
  }

  /** The key that was pressed raises `paste` next. */
  pasteValuesNext(): void {
    this.pastes = "values";
  }

  /** For menu items; browsers ask the person first. */
  async pasteFromMenu(what: PasteScope): Promise<void> {
    this.model.focusCells();
    const target = this.target();
    try {
      await this.onItsWay;
      const [item] = await navigator.clipboard.read();
      const read = async (type: string): Promise<string> =>
        item?.types.includes(type) ? (await item.getType(type)).text() : "";
      const [html, text] = [await read("text/html"), await read("text/plain")];
      const type = item?.types.find((name) => name.startsWith("image/"));
      const image = type === undefined ? undefined : await item?.getType(type);
      this.pasteFound({ html, text, image }, what, target);
    } catch {
      this.model.toast(t("The browser does not let a menu read the clipboard. Please press Ctrl+V."), false, { icon: "info" });
    }
  }

  private target(): Target {
    const { model } = this;
    return { sheet: model.sheetId(), range: model.range, active: model.selection().active };
  }

  private pasteFound(found: Copied & { readonly image: Blob | undefined }, what: PasteScope, target: Target): void {
    const { html, text, image } = found;
    if (image && isOnlyPicture(html, text)) {
      const { model } = this;
      void import("../images/insert-image.ts").then(({ insertImages }) => insertImages(model, [image], target.active));
    } else {
      this.pasteContent(html, text, what, target);
    }
  }

  private pasteContent(html: string, text: string, what: PasteScope, at: Target): void {
    const { model } = this;
    const { sheet } = at;
    const target = rangeName(at.range);
    const mark = readMark(html);
    const source = mark?.room === model.room ? mark : undefined;
    if (!source) {
      model.keys.ask(loadTables(), (tables) => this.pasteForeign(html, text, what, at, tables));
    } else if (this.source?.token === source.token && this.source.isCut && what === "all") {
      this.bring({ type: "cutPaste", fromSheet: source.sheet, source: source.range, sheet, target }, at.range);
      this.forget();
    } else {
      const { sheet: fromSheet, range, leavingOut } = source;
      const left = leavingOut && { leavingOut };
      this.bringInto({ type: "copyPaste", fromSheet, source: range, sheet, target, what, ...left }, at);
    }
  }

  /** From another program: a table with its looks where there is one, otherwise text. */
  private pasteForeign(html: string, text: string, what: PasteScope, at: Target, tables: Tables | undefined): void {
    const { model } = this;
    const { sheet, range, active } = at;
    const table = tables?.readTable(html);
    if (tables && table && what !== "transposed") {
      const { top, left } = range;
      const [height, width] = [table.rows.length, table.rows[0]?.length ?? 1];
      this.bringInto({ type: "many", commands: [...tables.pasteCommands(table, sheet, range, what)] }, at);
      const last = clampCell(top + height - 1, left + width - 1);
      // Who has gone elsewhere stays there.
      if (model.sheet() === sheet && sameRange(model.range, range)) {
        model.grid?.select(selectRange({ top, left, bottom: last.row, right: last.column }), "none");
      }
    } else if (text !== "") {
      const paste: Command = { type: "pasteText", sheet, target: rangeName(range), text };
      const url = text.trim();
      // An address alone becomes a link.
      const link: Command = { type: "setItem", sheet, kind: "link", anchors: [cellName(active)], fields: { url } };
      this.bringInto(what === "all" && tables?.isAddress(url) ? { type: "many", commands: [paste, link] } : paste, at);
    }
  }

  /** Each row into one that is seen. */
  private bringInto(command: Command, { sheet, range }: Target): void {
    this.bring(scrollIntoView(sheet, range.top, command), range);
  }

  /** Pasted cells get in whatever their rules say; those that break one are marked. */
  bring(command: Command, range: Range): void {
    const { entryChecks } = this.model;
    entryChecks.guard([range], () => {
      void entryChecks.tellBroken(command);
      this.model.command(command);
    });
  }

  forget(): void {
    this.source = undefined;
    this.model.grid?.setCopied(undefined);
  }
}

/** In a field, or in what has opened over the page and closes when the keyboard goes. */
function isElsewhere(element: Element | null, cells: HTMLElement): boolean {
  return element !== cells && (element?.closest("input, textarea, select, [role=menu], [role=dialog]") ?? null) !== null;
}

/** Browsers copy a picture with a line of HTML round its address; programs with cells copy a picture of them beside the table. */
function isOnlyPicture(html: string, text: string): boolean {
  return text.trim() === "" && !/<table/i.test(html);
}

/** The other way, for browsers that do not let a page raise `copy` so late; open to pages with HTTPS only. */
async function writeClipboard(text: string, html: string): Promise<boolean> {
  try {
    const blob = (content: string, type: string): Blob => new Blob([content], { type });
    const item = { "text/plain": blob(text, "text/plain"), "text/html": blob(html, "text/html") };
    await navigator.clipboard.write([new ClipboardItem(item)]);
    return true;
  } catch {
    return false;
  }
}

/** `crypto.randomUUID` is closed to pages without HTTPS. */
function randomToken(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join("");
}
