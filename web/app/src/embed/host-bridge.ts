/**
 * The embedded side of `<quadrille-sheet>`: answers requests of the host page and sends it events.
 */

import {
  CELLS_READ_MAX,
  CHANGED_CELLS_MAX,
  CONNECT,
  type FromFrame,
  HELLO,
  type HostCells,
  type ToFrame,
  type Value,
  VERSION,
} from "@quadrille/embed";
import { cellName, columnCount, currentRange, type Range, rangeName, rowCount } from "@quadrille/grid";
import type { CellContent, CellTable, Notice, SheetRange } from "@quadrille/protocol";
import { createEffect, createRoot, on } from "solid-js";
import { setSchemeOverride } from "../theme/index.ts";
import { parseReference } from "../references/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { readHostMessage } from "./host-messages.ts";
import { type Embedding, schemeOf } from "./mode.ts";

/** Minimum time between two `change` events. */
const CHANGES_MS = 100;

/** The connection to the host page. */
export class HostBridge {
  private readonly model: WorkbookModel;
  private readonly embedding: Embedding;
  private readonly controller = new AbortController();
  private readonly disposeEffects: () => void;
  private port: MessagePort | undefined;
  private changed: SheetRange[] = [];
  private timer = 0;
  private refusal: string | undefined;

  constructor(model: WorkbookModel, embedding: Embedding, chromePx: () => number) {
    this.model = model;
    this.embedding = embedding;
    const { signal } = this.controller;
    // The server decides which pages may embed this one (frame-ancestors); those may also send
    // messages.
    window.addEventListener("message", (event) => this.connect(event), { signal });
    model.onNotice((notice) => this.handleNotice(notice), signal);
    this.disposeEffects = createRoot((dispose) => {
      createEffect(
        on(
          () => model.status().isReady && model.sheets().length > 0,
          (isReady) => isReady && this.handleReady(),
        ),
      );
      createEffect(() => {
        const { unconfirmed, canEdit } = model.status();
        const connection = model.connection().state;
        this.send({ event: "status", detail: { connection, unsaved: unconfirmed, mayEdit: canEdit } });
      });
      createEffect(() => {
        const range = rangeName(currentRange(model.selection()));
        const sheet = model.sheets().find(({ id }) => id === model.sheet())?.name;
        if (sheet !== undefined) {
          this.send({ event: "select", detail: { sheet, range } });
        }
      });
      createEffect(() => {
        model.layout();
        const used = model.grid?.usedSizePx;
        if (used) {
          this.send({ event: "size", detail: { width: used.width, height: used.height + chromePx() } });
        }
      });
      return dispose;
    });
    // The message contains nothing confidential.
    window.parent.postMessage({ type: HELLO, version: VERSION }, "*");
  }

  dispose(): void {
    this.controller.abort();
    this.disposeEffects();
    window.clearTimeout(this.timer);
    this.port?.close();
  }

  private connect(event: MessageEvent<unknown>): void {
    const data = event.data as { type?: unknown; version?: unknown } | null;
    const [port] = event.ports;
    if (event.source !== window.parent || window.parent === window || data?.type !== CONNECT || data.version !== VERSION || !port) {
      return;
    }
    this.port?.close();
    this.port = port;
    port.onmessage = (message: MessageEvent<unknown>) => void this.handleMessage(message.data);
    this.model.session.send({ type: "watch" });
    if (this.model.status().isReady && this.model.sheets().length > 0) {
      this.sendReady();
    }
  }

  private handleReady(): void {
    const { sheet, range } = this.embedding;
    try {
      this.select(sheet, range);
    } catch (error) {
      this.send({ event: "error", detail: { code: "badPlace", message: errorMessage(error) } });
    }
    this.sendReady();
  }

  private sendReady(): void {
    const { model } = this;
    this.send({ event: "ready", detail: { sheets: model.sheets().map(({ name }) => name), mayEdit: model.status().canEdit } });
  }

  private handleNotice(notice: Notice): void {
    if (notice.type === "refused") {
      this.refusal = notice.message;
      this.send({ event: "error", detail: { code: notice.code, message: notice.message } });
    } else if (notice.type === "cells" && this.port) {
      this.changed.push(...notice.ranges);
      this.timer ||= window.setTimeout(() => void this.sendChanges(), CHANGES_MS);
    }
  }

  private async sendChanges(): Promise<void> {
    this.timer = 0;
    const ranges = this.changed;
    this.changed = [];
    const changes: HostCells[] = [];
    let cellsLeft = CHANGED_CELLS_MAX;
    for (const { sheet, range } of withoutContained(ranges)) {
      const cells = await this.read(sheet, range, cellsLeft);
      // Cleared cells outside of the used range read as an empty range.
      if (cells && (cells.cells.length > 0 || cells.isCutShort)) {
        changes.push(cells);
        cellsLeft -= cells.cells.length * (cells.cells[0]?.length ?? 0);
      }
    }
    if (changes.length > 0) {
      this.send({ event: "change", detail: { changes } });
    }
  }

  private async handleMessage(data: unknown): Promise<void> {
    const request = readHostMessage(data);
    if ("problem" in request) {
      if (request.id !== undefined) {
        this.send({ id: request.id, failure: request.problem });
      }
    } else if (request.do === "theme") {
      setSchemeOverride(schemeOf(request.theme));
    } else {
      try {
        this.send({ id: request.id, answer: await this.respond(request) });
      } catch (error) {
        this.send({ id: request.id, failure: errorMessage(error) });
      }
    }
  }

  private async respond(request: Exclude<ToFrame, { do: "theme" }>): Promise<unknown> {
    const { model } = this;
    switch (request.do) {
      case "sheets":
        return model.sheets().map(({ name }) => name);
      case "select":
        this.select(request.sheet, request.range);
        return { sheet: model.sheetName(), range: rangeName(model.range) };
      case "get": {
        const { sheet, range } = this.resolveRange(request.sheet, request.range);
        return this.read(sheet, range, CELLS_READ_MAX);
      }
      case "set": {
        const { sheet, range: at } = this.resolveRange(request.sheet, request.at);
        return this.write(sheet, at, request.cells);
      }
      default:
        throw new Error(`unknown request: ${JSON.stringify(request satisfies never)}`);
    }
  }

  private async write(sheet: number, { top, left }: Range, rows: readonly (readonly Value[])[]): Promise<HostCells | undefined> {
    const { model } = this;
    if (this.embedding.mode !== "edit" || !model.status().canEdit) {
      throw new Error("this workbook is embedded for viewing only");
    }
    this.refusal = undefined;
    const cells = rows.map((row) => row.map(contentOf));
    model.command({ type: "setCells", sheet, at: cellName({ row: top, column: left }), cells });
    // The engine answers queries after it has processed earlier commands.
    const range = { top, left, bottom: top + rows.length - 1, right: left + (rows[0]?.length ?? 1) - 1 };
    const read = await this.read(sheet, range, CELLS_READ_MAX);
    if (this.refusal !== undefined) {
      throw new Error(this.refusal);
    }
    return read;
  }

  private async read(sheet: number, range: Range, cellsMax: number): Promise<HostCells | undefined> {
    const name = this.model.sheets().find(({ id }) => id === sheet)?.name;
    if (name === undefined) {
      return undefined;
    }
    const isLarge = columnCount(range) > cellsMax || rowCount(range) * columnCount(range) > cellsMax;
    const used = isLarge ? await this.model.session.query({ type: "used", sheet }) : undefined;
    const bounded = used ? within(range, used) : range;
    if (!bounded) {
      return { sheet: name, range: rangeName(range), cells: [], isCutShort: false };
    }
    const rowsMax = Math.floor(cellsMax / columnCount(bounded));
    const isCutShort = rowCount(bounded) > rowsMax;
    const displayed = isCutShort ? { ...bounded, bottom: bounded.top + Math.max(1, rowsMax) - 1 } : bounded;
    if (rowsMax < 1) {
      return { sheet: name, range: rangeName(bounded), cells: [], isCutShort: true };
    }
    const table = await this.model.session.query({ type: "cells", sheet, range: displayed, skipsFiltered: false });
    return { sheet: name, range: rangeName(displayed), cells: hostRows(table), isCutShort };
  }

  private resolveRange(sheetName: string | undefined, text: string): { readonly sheet: number; readonly range: Range } {
    const { model } = this;
    const reference = parseReference(text, model.sheets());
    const namedSheet = sheetName === undefined ? undefined : this.sheetNamed(sheetName);
    if (!reference) {
      throw new Error(`not a range: ${text}`);
    }
    return { sheet: namedSheet ?? reference.sheet ?? model.sheetId(), range: reference.range };
  }

  private sheetNamed(name: string): number {
    const sheet = this.model.sheets().find((tab) => tab.name.toLowerCase() === name.toLowerCase());
    if (!sheet) {
      throw new Error(`unknown sheet: ${name}`);
    }
    return sheet.id;
  }

  private select(sheetName: string | undefined, text: string | undefined): void {
    const { model } = this;
    if (text !== undefined) {
      const { sheet, range } = this.resolveRange(sheetName, text);
      model.goToReference({ sheet, range });
    } else if (sheetName !== undefined) {
      model.openSheet(this.sheetNamed(sheetName));
    }
  }

  private send(message: FromFrame): void {
    this.port?.postMessage(message);
  }
}

function contentOf(value: Value): CellContent {
  switch (typeof value) {
    case "number":
      return { number: value };
    case "boolean":
      return { boolean: value };
    case "string":
      // Hosts write formulas in English notation, whatever the language of the user is.
      return value === "" ? "blank" : /^=\s*\S/.test(value) ? { formula: value } : { typed: value };
    default:
      return "blank";
  }
}

function hostRows(table: CellTable): HostCells["cells"] {
  return table.rows.map(({ cells }) =>
    cells.map(({ text, value, formula }) => ({ text, value: value ?? null, ...(formula !== undefined && { formula }) })),
  );
}

function within(range: Range, bounds: Range): Range | undefined {
  const top = Math.max(range.top, bounds.top);
  const left = Math.max(range.left, bounds.left);
  const bottom = Math.min(range.bottom, bounds.bottom);
  const right = Math.min(range.right, bounds.right);
  return top <= bottom && left <= right ? { top, left, bottom, right } : undefined;
}

/** Removes ranges that are inside of another one. */
function withoutContained(ranges: readonly SheetRange[]): readonly SheetRange[] {
  const isInside = (inner: SheetRange, outer: SheetRange): boolean =>
    inner.sheet === outer.sheet &&
    inner.range.top >= outer.range.top &&
    inner.range.left >= outer.range.left &&
    inner.range.bottom <= outer.range.bottom &&
    inner.range.right <= outer.range.right;
  const result: SheetRange[] = [];
  for (const range of ranges) {
    if (!result.some((other) => isInside(range, other))) {
      result.splice(0, result.length, ...result.filter((other) => !isInside(other, range)), range);
    }
  }
  return result;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
