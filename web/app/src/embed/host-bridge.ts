/** The frame's side of `<quadrille-sheet>`: answers what the page round it asks, and tells it what happens. */

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
import { wantScheme } from "../theme/index.ts";
import { positionOf } from "../references/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { readHostMessage } from "./host-messages.ts";
import { type Embedding, schemeOf } from "./mode.ts";

/** Changes are told together, this often at most. */
const CHANGES_MS = 100;

export class Bridge {
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
    // Who may show this page in a frame is the server's decision (frame-ancestors); whoever does may speak to it.
    window.addEventListener("message", (event) => this.connect(event), { signal });
    model.onNotice((notice) => this.noticed(notice), signal);
    this.disposeEffects = createRoot((dispose) => {
      createEffect(
        on(
          () => model.status().isReady && model.sheets().length > 0,
          (isReady) => isReady && this.ready(),
        ),
      );
      createEffect(() => {
        const { unconfirmed, canEdit } = model.status();
        const connection = model.connection().state;
        this.tell({ event: "status", detail: { connection, unsaved: unconfirmed, mayEdit: canEdit } });
      });
      createEffect(() => {
        const range = rangeName(currentRange(model.selection()));
        const sheet = model.sheets().find(({ id }) => id === model.sheet())?.name;
        if (sheet !== undefined) {
          this.tell({ event: "select", detail: { sheet, range } });
        }
      });
      createEffect(() => {
        model.layout();
        const used = model.grid?.usedSizePx;
        if (used) {
          this.tell({ event: "size", detail: { width: used.width, height: used.height + chromePx() } });
        }
      });
      return dispose;
    });
    // There is nothing in it that a stranger could use.
    window.parent.postMessage({ type: HELLO, version: VERSION }, "*");
  }

  dispose(): void {
    this.controller.abort();
    this.disposeEffects();
    window.clearTimeout(this.timer);
    this.port?.close();
  }

  private connect(event: MessageEvent<unknown>): void {
    const said = event.data as { type?: unknown; version?: unknown } | null;
    const [port] = event.ports;
    if (event.source !== window.parent || window.parent === window || said?.type !== CONNECT || said.version !== VERSION || !port) {
      return;
    }
    this.port?.close();
    this.port = port;
    port.onmessage = (message: MessageEvent<unknown>) => void this.handleMessage(message.data);
    this.model.session.send({ type: "watch" });
    if (this.model.status().isReady && this.model.sheets().length > 0) {
      this.tellReady();
    }
  }

  private ready(): void {
    const { sheet, range } = this.embedding;
    try {
      this.select(sheet, range);
    } catch (error) {
      this.tell({ event: "error", detail: { code: "badPlace", message: messageParts(error) } });
    }
    this.tellReady();
  }

  private tellReady(): void {
    const { model } = this;
    this.tell({ event: "ready", detail: { sheets: model.sheets().map(({ name }) => name), mayEdit: model.status().canEdit } });
  }

  private noticed(notice: Notice): void {
    if (notice.type === "refused") {
      this.refusal = notice.message;
      this.tell({ event: "error", detail: { code: notice.code, message: notice.message } });
    } else if (notice.type === "cells" && this.port) {
      this.changed.push(...notice.ranges);
      this.timer ||= window.setTimeout(() => void this.tellChanges(), CHANGES_MS);
    }
  }

  private async tellChanges(): Promise<void> {
    this.timer = 0;
    const ranges = this.changed;
    this.changed = [];
    const changes: HostCells[] = [];
    let left = CHANGED_CELLS_MAX;
    for (const { sheet, range } of withoutRepeats(ranges)) {
      const told = await this.read(sheet, range, left);
      // What was cleared beyond the sheet's use reads as nothing.
      if (told && (told.cells.length > 0 || told.isCutShort)) {
        changes.push(told);
        left -= told.cells.length * (told.cells[0]?.length ?? 0);
      }
    }
    if (changes.length > 0) {
      this.tell({ event: "change", detail: { changes } });
    }
  }

  private async handleMessage(data: unknown): Promise<void> {
    const asked = readHostMessage(data);
    if ("problem" in asked) {
      if (asked.id !== undefined) {
        this.tell({ id: asked.id, failure: asked.problem });
      }
    } else if (asked.do === "theme") {
      wantScheme(schemeOf(asked.theme));
    } else {
      try {
        this.tell({ id: asked.id, answer: await this.respond(asked) });
      } catch (error) {
        this.tell({ id: asked.id, failure: messageParts(error) });
      }
    }
  }

  private async respond(asked: Exclude<ToFrame, { do: "theme" }>): Promise<unknown> {
    const { model } = this;
    switch (asked.do) {
      case "sheets":
        return model.sheets().map(({ name }) => name);
      case "select":
        this.select(asked.sheet, asked.range);
        return { sheet: model.sheetName(), range: rangeName(model.range) };
      case "get": {
        const { sheet, range } = this.resolveRange(asked.sheet, asked.range);
        return this.read(sheet, range, CELLS_READ_MAX);
      }
      case "set": {
        const { sheet, range: at } = this.resolveRange(asked.sheet, asked.at);
        return this.write(sheet, at, asked.cells);
      }
      default:
        throw new Error(`no such question: ${JSON.stringify(asked satisfies never)}`);
    }
  }

  private async write(sheet: number, { top, left }: Range, rows: readonly (readonly Value[])[]): Promise<HostCells | undefined> {
    const { model } = this;
    if (this.embedding.mode !== "edit" || !model.status().canEdit) {
      throw new Error("this workbook is shown, not edited, here");
    }
    this.refusal = undefined;
    const cells = rows.map((row) => row.map(contentOf));
    model.command({ type: "setCells", sheet, at: cellName({ row: top, column: left }), cells });
    // The answer to this comes after what the engine has to say of the command.
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
    const isFar = columnCount(range) > cellsMax || rowCount(range) * columnCount(range) > cellsMax;
    const used = isFar ? await this.model.session.query({ type: "used", sheet }) : undefined;
    const bounded = used ? within(range, used) : range;
    if (!bounded) {
      return { sheet: name, range: rangeName(range), cells: [], isCutShort: false };
    }
    const rowsMax = Math.floor(cellsMax / columnCount(bounded));
    const isCutShort = rowCount(bounded) > rowsMax;
    const shown = isCutShort ? { ...bounded, bottom: bounded.top + Math.max(1, rowsMax) - 1 } : bounded;
    if (rowsMax < 1) {
      return { sheet: name, range: rangeName(bounded), cells: [], isCutShort: true };
    }
    const table = await this.model.session.query({ type: "cells", sheet, range: shown, skipsFiltered: false });
    return { sheet: name, range: rangeName(shown), cells: hostRows(table), isCutShort };
  }

  private resolveRange(sheetName: string | undefined, text: string): { readonly sheet: number; readonly range: Range } {
    const { model } = this;
    const found = positionOf(text, model.sheets());
    const named = sheetName === undefined ? undefined : this.sheetNamed(sheetName);
    if (!found) {
      throw new Error(`not a range: ${text}`);
    }
    return { sheet: named ?? found.sheet ?? model.sheetId(), range: found.range };
  }

  private sheetNamed(name: string): number {
    const found = this.model.sheets().find((tab) => tab.name.toLowerCase() === name.toLowerCase());
    if (!found) {
      throw new Error(`unknown sheet: ${name}`);
    }
    return found.id;
  }

  private select(sheetName: string | undefined, text: string | undefined): void {
    const { model } = this;
    if (text !== undefined) {
      const { sheet, range } = this.resolveRange(sheetName, text);
      model.goToPlace({ sheet, range });
    } else if (sheetName !== undefined) {
      model.openSheet(this.sheetNamed(sheetName));
    }
  }

  private tell(message: FromFrame): void {
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
      // A host does not know how this reader writes formulas.
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

/** Without those that lie in another one. */
function withoutRepeats(ranges: readonly SheetRange[]): readonly SheetRange[] {
  const isIn = (inner: SheetRange, outer: SheetRange): boolean =>
    inner.sheet === outer.sheet &&
    inner.range.top >= outer.range.top &&
    inner.range.left >= outer.range.left &&
    inner.range.bottom <= outer.range.bottom &&
    inner.range.right <= outer.range.right;
  const kept: SheetRange[] = [];
  for (const range of ranges) {
    if (!kept.some((other) => isIn(range, other))) {
      kept.splice(0, kept.length, ...kept.filter((other) => !isIn(other, range)), range);
    }
  }
  return kept;
}

function messageParts(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
