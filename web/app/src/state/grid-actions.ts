/** Handles the events of the grid. */

import {
  type Cell,
  cellName,
  COLUMNS_MAX,
  type GridListener,
  type Hit,
  type CellControl,
  type Range,
  rangeName,
  ROWS_MAX,
  selectRange,
} from "@quadrille/grid";
import type { Command, ItemValue } from "@quadrille/protocol";
import { isPresenting } from "../presentation/index.ts";
import { ButtonImages, isAppView, pressButton, toggleControl } from "../form-controls/index.ts";
import { validationAt } from "../validation/index.ts";
import { forVisibleRows, intoVisibleRows } from "../filter/index.ts";
import { t } from "../language/index.ts";
import { fileOfLink, linkTarget } from "../links/index.ts";
import { download, roomApi } from "../rooms/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";
import type { CellMenuRequest } from "./signals.ts";
import { editOrShowRows } from "./source-rows.ts";

/** Events that the model handles itself. */
export interface GridSignals {
  selectionChanged(selection: Parameters<GridListener["selectionChanged"]>[0]): void;
  contextMenuRequested(menu: CellMenuRequest): void;
  layoutChanged(): void;
  ariaUpdated(): void;
}

/** The listener that connects a grid to the model. */
export function gridListener(model: WorkbookModel, signals: GridSignals): GridListener {
  const images = new ButtonImages(model.room);
  return {
    get hasHeaders() {
      return !isAppView && !isPresenting();
    },
    imageOf: (address, loaded) => images.of(address, loaded),
    windowsRequested: (ranges) => {
      const sheet = model.sheet();
      if (sheet !== undefined) {
        if (model.preview.isOn()) {
          model.preview.requestWindow(sheet, ranges);
        } else {
          model.session.view(sheet, ranges);
        }
      }
    },
    painted: () => model.session.painted(),
    selectionChanged: signals.selectionChanged,
    isPointing: () => model.cellEdit.isPointing(),
    pointed: (range) => model.cellEdit.pointAt(range),
    referenceDragged: (reference, range, isDone) => model.cellEdit.moveReference(reference.id, range, isDone),
    pressed: () => {
      model.cellEdit.commit();
      model.focusCells();
    },
    editRequested: (cell) => editOrShowRows(model, cell),
    resized: (dimension, first, count, sizePx) =>
      model.command(forVisibleRows(model.sheetId(), { type: "resize", sheet: model.sheetId(), dimension, first, count, size: sizePx })),
    autoFitRequested: (dimension, first, count) => model.autoFit.fit(dimension, first, count),
    unhideRequested: (dimension, first, count) =>
      model.command({ type: "setHidden", sheet: model.sheetId(), dimension, first, count, hidden: false }),
    filled: (source, target, rows) => fill(model, source, target, rows),
    fillDownWanted: (source) => model.keys.waitFor(fillDown(model, source)),
    moved: (source, target, copies) => move(model, source, target, copies),
    dimensionMoved: (dimension, first, count, to) => model.rowsAndColumns.move(dimension, first, count, to),
    textsChanged: (changed) => model.announcer.textsChanged(changed, model.selection().active),
    ariaUpdated: signals.ariaUpdated,
    contextMenuRequested: (x, y, hit) => signals.contextMenuRequested({ x, y, target: menuTargetOf(hit) }),
    controlPressed: (cell, what) => pressControl(model, cell, what),
    apartRefused: () => model.toast(t("In a sorted view this needs rows that are next to each other in the sheet."), false, { icon: "info" }),
    zoomRequested: (zoom) => model.setZoom(zoom),
    layoutChanged: signals.layoutChanged,
  };
}

function fill(model: WorkbookModel, source: Range, target: Range, rows?: readonly number[]): void {
  const sheet = model.sheetId();
  if (rows) {
    const fillRows: Command = { type: "fill", sheet, source: rangeName(source), target: rangeName(target), mode: "series" };
    model.command(intoVisibleRows(sheet, source.bottom + 1, fillRows, rows));
    return;
  }
  model.command(forVisibleRows(sheet, { type: "fill", sheet, source: rangeName(source), target: rangeName(target), mode: "series" }));
  model.grid?.select(selectRange(target, { row: source.top, column: source.left }), "none");
}

/** Fills down to the end of the filled column beside the source. */
async function fillDown(model: WorkbookModel, source: Range): Promise<void> {
  const sheet = model.sheetId();
  // Queried, as pending entries are not displayed yet.
  const isBlank = async (cell: Cell): Promise<boolean> => (await model.session.query({ type: "cell", sheet, cell })).editText === "";
  for (const column of [source.left - 1, source.right + 1]) {
    const below = { row: source.bottom + 1, column };
    if (column < 0 || column >= COLUMNS_MAX || below.row >= ROWS_MAX || (await isBlank(below))) {
      continue;
    }
    const last = await model.session.query({ type: "edge", sheet, from: { row: source.bottom, column }, direction: "down" });
    // From a blank cell, the first edge is the start of the next block; the second one is its end.
    const end =
      last.row === below.row && (await isBlank({ row: source.bottom, column }))
        ? await model.session.query({ type: "edge", sheet, from: below, direction: "down" })
        : last;
    if (end.row > source.bottom && end.row < ROWS_MAX - 1 && model.sheet() === sheet) {
      fill(model, source, { ...source, bottom: end.row });
    }
    return;
  }
}

function move(model: WorkbookModel, source: Range, target: Range, copies: boolean): void {
  const sheet = model.sheetId();
  const [from, to] = [rangeName(source), rangeName(target)];
  model.command(
    copies
      ? { type: "copyPaste", fromSheet: sheet, source: from, sheet, target: to, what: "all" }
      : { type: "cutPaste", fromSheet: sheet, source: from, sheet, target: to },
  );
  model.grid?.select(selectRange(target), "none");
}

function pressControl(model: WorkbookModel, cell: Cell, what: CellControl): void {
  switch (what) {
    case "checkbox":
      // A second press waits for the first, so that two presses restore the state.
      model.keys.enqueue(() => model.keys.waitFor(toggleCheckbox(model, cell)));
      return;
    case "link": {
      const link = model.grid?.markOf(cell)?.link;
      if (link !== undefined) {
        const reference = linkTarget(link, model.sheets());
        const file = fileOfLink(link);
        if (reference) {
          model.goToReference(reference);
        } else if (file !== undefined) {
          // Of this workbook, which may be a copy. The server never lets a file be opened as a page.
          download(model.room, `${roomApi(model.room)}/files/${file}`).catch(() => model.toast(t("The file could not be downloaded. Try again."), true));
        } else {
          openLink(link);
        }
      }
      return;
    }
    case "button":
      // After the values that were entered before.
      model.keys.enqueue(() => model.keys.waitFor(pressButton(model, cell)));
      return;
    case "list":
    case "filter":
      model.controlPressed(cell, what);
  }
}

/** Opens an external link; other schemes are ignored, as a workbook must not run scripts. */
export function openLink(link: string): void {
  // Links of HTML may lead to another page of this server.
  const url = URL.parse(link, /^[/?]/.test(link) ? document.baseURI : undefined);
  if (url && ["http:", "https:", "mailto:", "tel:"].includes(url.protocol)) {
    window.open(url, "_blank", "noopener,noreferrer");
  }
}

/** Toggles a checkbox by its current value. Returns `false` if the cell has none. */
export async function toggleCheckbox(model: WorkbookModel, cell: Cell): Promise<boolean> {
  const sheet = model.sheetId();
  const [, details] = await Promise.all([model.items.settled(), model.session.query({ type: "cell", sheet, cell })]);
  const rule = validationAt(model, cell)?.fields;
  if (rule?.["rule"] !== "checkbox") {
    return toggleControl(model, cell);
  }
  const textOf = (value: ItemValue | undefined, otherwise: string): string =>
    value === undefined || value === null ? otherwise : String(value);
  const checked = textOf(rule["checkedValue"], "TRUE");
  const isChecked = details.editText.toUpperCase() === checked.toUpperCase();
  const text = isChecked ? textOf(rule["uncheckedValue"], "FALSE") : checked;
  model.command({ type: "typeText", sheet, cell: cellName(cell), text });
  return true;
}

function menuTargetOf(hit: Hit): CellMenuRequest["target"] {
  switch (hit.kind) {
    case "rowHeader":
    case "rowBorder":
      return "rows";
    case "columnHeader":
    case "columnBorder":
      return "columns";
    default:
      return "cells";
  }
}
