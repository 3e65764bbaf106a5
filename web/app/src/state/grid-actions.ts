/** Handles the events of the grid. */

import {
  type Cell,
  type GridListener,
  type Hit,
  type CellControl,
  type Range,
  rangeName,
  selectRange,
} from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { isDashboard, isPresenting, selectByKeyboard, showsSelection } from "../presentation/index.ts";
import { ButtonImages, isAppView } from "../form-controls/index.ts";
import { forVisibleRows, intoVisibleRows } from "../filter/index.ts";
import { t } from "../language/index.ts";
import { withLaterParts } from "../workbook/index.ts";
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
      return !isAppView && !isPresenting() && !isDashboard(model);
    },
    get isPage() {
      return isDashboard(model);
    },
    get showsSelection() {
      return showsSelection(model);
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
      selectByKeyboard(false);
      model.cellEdit.commit();
      model.focusCells();
    },
    editRequested: (cell) => editOrShowRows(model, cell),
    resized: (dimension, first, count, sizePx) =>
      model.command(forVisibleRows(model.sheetId(), { type: "resize", sheet: model.sheetId(), dimension, first, count, size: sizePx })),
    autoFitRequested: (dimension, first, count) => withLaterParts(model, ({ fitSizes }) => fitSizes(model, dimension, first, count)),
    unhideRequested: (dimension, first, count) =>
      model.command({ type: "setHidden", sheet: model.sheetId(), dimension, first, count, hidden: false }),
    filled: (source, target, rows) => fill(model, source, target, rows),
    fillDownWanted: (source) => withLaterParts(model, ({ fillToEnd }) => model.keys.waitFor(fillToEnd(model, source, (target) => fill(model, source, target)))),
    moved: (source, target, copies) => move(model, source, target, copies),
    dimensionMoved: (dimension, first, count, to) => withLaterParts(model, ({ RowsAndColumns }) => new RowsAndColumns(model).move(dimension, first, count, to)),
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
      model.keys.enqueue(() => withLaterParts(model, ({ toggleCheckbox }) => model.keys.waitFor(toggleCheckbox(model, cell))));
      return;
    case "link":
      withLaterParts(model, ({ followLink }) => followLink(model, cell));
      return;
    case "button":
      // After the values that were entered before.
      model.keys.enqueue(() => withLaterParts(model, ({ pressButton }) => model.keys.waitFor(pressButton(model, cell))));
      return;
    case "list":
    case "filter":
    case "rating":
      model.controlPressed(cell, what);
      return;
    default:
      // A second press waits for the first: it removes the rating.
      model.keys.enqueue(() => withLaterParts(model, ({ pressStar }) => model.keys.waitFor(pressStar(model, cell, what))));
  }
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
