/** What the sheet that is shown holds besides cells; asked anew whenever the engine says that it changed. */

import type { Command, ItemDetails, ItemValue } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { locksOf } from "../protection/index.ts";
import type { WorkbookModel } from "./workbook-model.ts";

/** Identities of items are below 2^53. */
const ID_BITS_HIGH = 21;

export class Items {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal<readonly ItemDetails[]>([]);
  /** Counts up with every change on any sheet. */
  private readonly changesSignal = createSignal(0);
  private asking = 0;
  /** The engine has yet to take in something that may change the list. */
  private isExpected = false;
  readonly list = this.signal[0];
  readonly changes = this.changesSignal[0];

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  ofKind(kind: string): readonly ItemDetails[] {
    return this.list().filter((item) => item.kind === kind);
  }

  find(id: number): ItemDetails | undefined {
    return this.list().find((item) => item.id === id);
  }

  /** Items of these sheets changed. */
  changed(sheets: readonly number[]): void {
    this.changesSignal[1]((count) => count + 1);
    const sheet = this.model.sheet();
    if (sheet !== undefined && sheets.includes(sheet)) {
      void this.ask(sheet);
    }
  }

  /** Another sheet is shown. */
  sheetShown(sheet: number): void {
    this.signal[1]([]);
    this.model.grid?.setLocks(locksOf([]));
    void this.ask(sheet);
  }

  /** The list once everything done so far is in it: what was just made may still be on its way from the engine. */
  async settled(): Promise<readonly ItemDetails[]> {
    await this.ask(this.model.sheetId());
    return this.list();
  }

  /** Whether nothing is on its way that could change the list. */
  isSettled(): boolean {
    return this.asking === 0 && !this.isExpected;
  }

  /** Something was done here; entries alone change no rules. */
  expect(done: Command["type"] | "undo" | "redo"): void {
    this.isExpected ||= done !== "typeText" && done !== "typeEverywhere";
  }

  /** The engine has taken in everything, and told which lists changed. */
  taken(): void {
    this.isExpected = false;
  }

  private async ask(sheet: number): Promise<void> {
    this.asking += 1;
    const items = await this.model.session.query({ type: "items", sheet });
    this.asking -= 1;
    // Answers come in the order of the questions.
    if (sheet === this.model.sheet()) {
      this.signal[1](items);
      this.model.grid?.setLocks(locksOf(items));
    }
  }

  /** Sets fields of an item, `null` clears; everything else of it stays. */
  patch(item: number, fields: Record<string, ItemValue>, sheet = this.model.sheetId()): void {
    this.model.command({ type: "setItem", sheet, item, fields });
  }

  remove(item: number, sheet = this.model.sheetId()): void {
    this.model.command({ type: "removeItem", sheet, item });
  }
}

/** An identity that nobody else will choose. */
export function newItemId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> (32 - ID_BITS_HIGH)) * 2 ** 32 + low + 1;
}
