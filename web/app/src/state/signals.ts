/** What components read of an open workbook, and the names of what they can ask to be shown. */

import { selectCell, type Selection } from "@quadrille/grid";
import type { Person, SheetTab, Status } from "@quadrille/protocol";
import type { Connection } from "@quadrille/session";
import { createSignal } from "solid-js";
import { type Identity, loadIdentity } from "../presence/index.ts";
import type { DialogName, PanelName } from "../workbook/index.ts";

export interface MenuAt {
  readonly x: number;
  readonly y: number;
  readonly lines: "rows" | "columns" | "cells";
}

const LOADING: Status = { isReady: false, isConnected: false, unconfirmed: 0, canEdit: true };

export function makeSignals() {
  return {
    sheets: createSignal<readonly SheetTab[]>([]),
    sheet: createSignal<number | undefined>(),
    status: createSignal<Status>(LOADING),
    connection: createSignal<Connection>({ state: "connecting" }),
    people: createSignal<readonly Person[]>([]),
    peopleCount: createSignal(1),
    history: createSignal({ canUndo: false, canRedo: false }),
    selection: createSignal<Selection>(selectCell({ row: 0, column: 0 })),
    /** Counts up when things that lie over the grid have to move. */
    layout: createSignal(0),
    /** Counts up when the nodes for screen readers follow the cells in sight. */
    ariaUpdates: createSignal(0),
    zoom: createSignal(1),
    showsFormulas: createSignal(false),
    menu: createSignal<MenuAt | undefined>(),
    dialog: createSignal<DialogName | undefined>(),
    panel: createSignal<PanelName | undefined>(),
    chosen: createSignal<number | undefined>(),
    cellChanges: createSignal(0),
    /** Counts up when the grid was given other cells to draw. */
    cellsShown: createSignal(0),
    schemeChanges: createSignal(0),
    isSending: createSignal(false),
    isPersisted: createSignal(false),
    isCalculating: createSignal(false),
    stopped: createSignal<string | undefined>(),
    identity: createSignal<Identity>(loadIdentity()),
  } as const;
}
