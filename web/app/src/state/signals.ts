/** The signals of an open workbook. */

import { selectCell, type Selection } from "@quadrille/grid";
import type { Person, SheetTab, Status } from "@quadrille/protocol";
import type { Connection } from "@quadrille/session";
import { createSignal } from "solid-js";
import { type Identity, loadIdentity } from "../presence/index.ts";
import type { DialogName, PanelName } from "../workbook/index.ts";

/** A request for the context menu, in CSS pixels of the page. */
export interface CellMenuRequest {
  readonly x: number;
  readonly y: number;
  readonly target: "rows" | "columns" | "cells";
}

const LOADING: Status = { isReady: false, isConnected: false, unconfirmed: 0, canEdit: true, canComment: true, isOwner: false };

/** Creates the signals in their initial state. */
export function createSignals() {
  return {
    sheets: createSignal<readonly SheetTab[]>([]),
    sheet: createSignal<number | undefined>(),
    status: createSignal<Status>(LOADING),
    connection: createSignal<Connection>({ state: "connecting" }),
    people: createSignal<readonly Person[]>([]),
    peopleCount: createSignal(1),
    history: createSignal({ canUndo: false, canRedo: false }),
    selection: createSignal<Selection>(selectCell({ row: 0, column: 0 })),
    /** Increases when elements over the grid have to be repositioned. */
    layout: createSignal(0),
    /** Increases when the ARIA grid was updated. */
    ariaUpdates: createSignal(0),
    zoom: createSignal(1),
    showsFormulas: createSignal(false),
    menu: createSignal<CellMenuRequest | undefined>(),
    dialog: createSignal<DialogName | undefined>(),
    panel: createSignal<PanelName | undefined>(),
    selectedItem: createSignal<number | undefined>(),
    cellChanges: createSignal(0),
    /** Increases when the grid has received cells. */
    windowUpdates: createSignal(0),
    schemeChanges: createSignal(0),
    isSending: createSignal(false),
    isPersisted: createSignal(false),
    isCalculating: createSignal(false),
    stopped: createSignal<string | undefined>(),
    identity: createSignal<Identity>(loadIdentity()),
    /** Name of the account of the user. */
    accountName: createSignal<string | undefined>(),
  } as const;
}
