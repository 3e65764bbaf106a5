/** The items of the current sheet, queried whenever the engine reports a change. */

import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { locksOf } from "../protection/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";

/** Item identifiers are below 2^53. */
const ID_BITS_HIGH = 21;

/** The items of the current sheet. */
export class SheetItems {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal<readonly ItemDetails[]>([]);
  /** Counts changes of items on any sheet. */
  private readonly changesSignal = createSignal(0);
  private readonly changesOfSheets = new Map<number, number>();
  private pendingQueries = 0;
  /** A command that may change items has not been processed yet. */
  private hasPendingCommand = false;
  readonly list = this.signal[0];
  readonly changes = this.changesSignal[0];

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The items of a kind. */
  ofKind(kind: string): readonly ItemDetails[] {
    return this.list().filter((item) => item.kind === kind);
  }

  /** The item with an identifier. */
  find(id: number): ItemDetails | undefined {
    return this.list().find((item) => item.id === id);
  }

  /** The number of changes of the items of a sheet since it was loaded; 0 for an unchanged one. */
  changesOf(sheet: number): number {
    return this.changesOfSheets.get(sheet) ?? 0;
  }

  /** Handles changed items. */
  changed(sheets: readonly number[]): void {
    sheets.forEach((sheet) => this.changesOfSheets.set(sheet, this.changesOf(sheet) + 1));
    this.changesSignal[1]((count) => count + 1);
    const sheet = this.model.sheet();
    if (sheet !== undefined && sheets.includes(sheet)) {
      void this.query(sheet);
    }
  }

  /** Shows the protection that keeps the person from editing, who is known only now. */
  personChanged(): void {
    this.model.grid?.setLocks(locksOf(this.list(), this.model.access.identification.person()));
  }

  /** Queries the items of another sheet. */
  showSheet(sheet: number): void {
    this.signal[1]([]);
    this.model.grid?.setLocks(locksOf([], undefined));
    this.model.grid?.setSuggestions([]);
    void this.query(sheet);
  }

  /** The items after all pending commands. */
  async settled(): Promise<readonly ItemDetails[]> {
    await this.query(this.model.sheetId());
    return this.list();
  }

  /** Whether no query or command is pending that could change the items. */
  isSettled(): boolean {
    return this.pendingQueries === 0 && !this.hasPendingCommand;
  }

  /** Marks a command as pending; plain entries do not change items. */
  expect(command: Command["type"] | "undo" | "redo"): void {
    this.hasPendingCommand ||= command !== "typeText" && command !== "typeEverywhere";
  }

  /** Marks all commands as processed. */
  commandsProcessed(): void {
    this.hasPendingCommand = false;
  }

  private async query(sheet: number): Promise<void> {
    this.pendingQueries += 1;
    const items = await this.model.session.query({ type: "items", sheet });
    this.pendingQueries -= 1;
    // Answers arrive in the order of the queries.
    if (sheet === this.model.sheet()) {
      this.signal[1](items);
      this.model.grid?.setLocks(locksOf(items, this.model.access.identification.person()));
    }
  }

  /** Sets fields of an item; `null` clears a field, other fields stay. */
  patch(item: number, fields: Record<string, ItemValue>, sheet = this.model.sheetId()): void {
    this.model.command({ type: "setItem", sheet, item, fields });
  }

  /** Removes an item. */
  remove(item: number, sheet = this.model.sheetId()): void {
    this.model.command({ type: "removeItem", sheet, item });
  }
}

/** A random item identifier. */
export function newItemId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> (32 - ID_BITS_HIGH)) * 2 ** 32 + low + 1;
}
