/**
 * What is typed, on its way into a cell: asked of the cell's rule first, and of whoever protected it.
 *
 * Only cells that have a rule are asked about; everything else goes to the engine in the same moment.
 */

import { type Cell, contains, parseRange, type Range } from "@quadrille/grid";
import type { Command, ItemDetails } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { describeProtection, lockAt, lockOf } from "../protection/index.ts";

/** Something typed, and where. */
export interface Entry {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  readonly command: Command;
}

export type EntryAlert =
  | { readonly kind: "rule"; readonly rule: ItemDetails; readonly entry: Entry }
  | { readonly kind: "lock"; readonly lock: ItemDetails; readonly goOn: () => void };

/** Who said "anyway" is not asked again for so long. */
const AGAIN_MS = 5 * 60_000;

export class EntryChecks {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal<EntryAlert>();
  /** What the person has to decide about. */
  readonly obstacle = this.signal[0];
  private warnedUntilMs = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** `done` when the entry is on its way. */
  enter(entry: Entry, done: () => void): void {
    const { model } = this;
    const go = (): void => {
      model.command(entry.command);
      done();
    };
    const { row, column } = entry.cell;
    if (entry.sheet === model.sheet() && lockAt(model, entry.cell)) {
      this.guard([{ top: row, bottom: row, left: column, right: column }], () => this.askRule(entry, go));
    } else {
      this.askRule(entry, go);
    }
  }

  private askRule(entry: Entry, go: () => void): void {
    const { model } = this;
    if (!this.canHaveRule(entry)) {
      go();
      return;
    }
    // Undone or typed over is only what has been entered.
    model.keys.ask(this.brokenRule(entry), (rule) => {
      if (rule) {
        this.signal[1]({ kind: "rule", rule, entry });
      } else {
        go();
      }
    });
  }

  private async brokenRule({ command }: Entry): Promise<ItemDetails | undefined> {
    const { session } = this.model;
    const broken = await session.query({ type: "brokenRule", command });
    const items = broken ? await session.query({ type: "items", sheet: broken.sheet }) : [];
    return items.find(({ id }) => id === broken?.item);
  }

  private canHaveRule({ sheet, command }: Entry): boolean {
    const isSeveral = command.type !== "typeText";
    return (
      sheet !== this.model.sheet() ||
      // A rule made a moment ago may be on its way here.
      !this.model.items.isSettled() ||
      this.model.items.ofKind("validation").some(
        ({ anchors }) => isSeveral || anchors.some((anchor) => isAbout(anchor, command)),
      )
    );
  }

  /** Takes what was typed although the rule does not want it. */
  enterAnyway(entry: Entry): void {
    this.close();
    this.model.command(entry.command);
  }

  editAgain({ sheet, cell, text }: Entry): void {
    this.close();
    this.model.openSheet(sheet);
    this.model.reveal(cell);
    this.model.cellEdit.startWith(text);
    this.model.focusCells();
    this.model.cellEdit.toggleQuick();
    queueMicrotask(() => this.model.cellEdit.placeCaret(text.length, "cell"));
  }

  close(): void {
    this.signal[1](undefined);
    this.model.focusCells();
  }

  /**
   * Does what changes these cells, unless they are protected; where the protection only warns, after a word. The engine
   * and the room have the last say: this is for clear words in time.
   */
  guard(ranges: readonly Range[], goOn: () => void): void {
    const lock = lockOf(this.model, ranges);
    if (!lock) {
      goOn();
    } else if (lock.fields["warningOnly"] !== true) {
      this.model.toast(describeProtection(lock), true);
    } else if (performance.now() < this.warnedUntilMs) {
      goOn();
    } else {
      this.signal[1]({ kind: "lock", lock, goOn });
    }
  }

  goOn(goOn: () => void, isAskedAgain: boolean): void {
    if (!isAskedAgain) {
      this.warnedUntilMs = performance.now() + AGAIN_MS;
    }
    this.signal[1](undefined);
    this.model.focusCells();
    goOn();
  }

  /** Says how much of what was just brought in breaks a rule. */
  async tellBroken(command: Command): Promise<void> {
    const { items } = this.model;
    if ((items.ofKind("validation").length > 0 || !items.isSettled()) && (await this.model.session.query({ type: "brokenRule", command }))) {
      this.model.toast(t("Some of these cells contain invalid values; they are marked by a red corner."), false, { icon: "info" });
    }
  }
}

function isAbout(anchor: string, command: Command): boolean {
  const range = parseRange(anchor);
  const cell = command.type === "typeText" ? parseRange(command.cell) : undefined;
  return range !== undefined && cell !== undefined && contains(range, { row: cell.top, column: cell.left });
}
