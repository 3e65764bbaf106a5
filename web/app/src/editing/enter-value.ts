/**
 * Checks of an entry before it is sent: protection of the cell, the syntax of a formula, then its data
 * validation rule.
 *
 * Only formulas and cells with a rule need a query; other entries are sent at once.
 */

import { isFormula } from "@quadrille/editor";
import { type Cell, contains, parseRange, type Range } from "@quadrille/grid";
import type { Command, ItemDetails } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { lockAt, lockOf } from "../protection/index.ts";
import { storedFormula } from "../settings/index.ts";
import { withLaterParts } from "../workbook/index.ts";
import { closedFormula } from "./closed-formula.ts";

/** An entry and its target. */
export interface Entry {
  readonly sheet: number;
  readonly cell: Cell;
  readonly text: string;
  readonly command: Command;
  /** Formats the entered text. */
  readonly format?: Command | undefined;
}

/** A violated rule, a formula that cannot be read, or cells whose protection warns. */
export type EntryAlert =
  | { readonly kind: "formula"; readonly entry: Entry }
  | { readonly kind: "rule"; readonly rule: ItemDetails; readonly entry: Entry }
  | { readonly kind: "lock"; readonly lock: ItemDetails; readonly proceed: () => void };

/** Time for which the warning about protected cells is not repeated. */
const WARNING_PAUSE_MS = 5 * 60_000;

/** Checks entries and holds the open alert. */
export class EntryChecks {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal<EntryAlert>();
  /** The alert that the user has to answer. */
  readonly alert = this.signal[0];
  private warnedUntilMs = 0;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Checks and sends an entry; calls `done` when it is sent. */
  enter(entry: Entry, done: () => void): void {
    const { model } = this;
    const { row, column } = entry.cell;
    if (entry.sheet === model.sheet() && lockAt(model, entry.cell)) {
      this.guard([{ top: row, bottom: row, left: column, right: column }], () => this.checkFormula(entry, done));
    } else {
      this.checkFormula(entry, done);
    }
  }

  /** Closes what a formula opens, as in Excel, and asks about one that still cannot be read. */
  private checkFormula(entry: Entry, done: () => void): void {
    const { text } = entry;
    if (!isFormula(text) || text.trim() === "=") {
      this.checkRule(entry, done);
      return;
    }
    this.model.keys.waitForAnswer(this.readableFormula(entry), (readable) => {
      if (readable === undefined) {
        this.signal[1]({ kind: "formula", entry });
      } else {
        this.checkRule(readable === text ? entry : withText(entry, readable), done);
      }
    });
  }

  /** The formula, with missing closing quotes and brackets; `undefined` if it is no formula with them either. */
  private async readableFormula({ text, cell }: Entry): Promise<string | undefined> {
    for (const tried of [text, closedFormula(text)]) {
      const formula = tried === undefined ? "" : storedFormula(tried, cell).replace(/^=/, "");
      if (formula !== "" && (await this.model.session.query({ type: "isFormula", formula }))) {
        return tried;
      }
    }
    return undefined;
  }

  private checkRule(entry: Entry, done: () => void): void {
    const { model } = this;
    const go = (): void => {
      model.command(wholeCommand(entry));
      done();
    };
    if (!this.canHaveRule(entry)) {
      go();
      return;
    }
    // Later keys wait for the answer, so that undo and typing apply to the entered value.
    model.keys.waitForAnswer(this.violatedRule(entry), (rule) => {
      if (rule) {
        this.signal[1]({ kind: "rule", rule, entry });
      } else {
        go();
      }
    });
  }

  private async violatedRule({ command }: Entry): Promise<ItemDetails | undefined> {
    const { session } = this.model;
    const broken = await session.query({ type: "brokenRule", command });
    const items = broken ? await session.query({ type: "items", sheet: broken.sheet }) : [];
    return items.find(({ id }) => id === broken?.item);
  }

  private canHaveRule({ sheet, command }: Entry): boolean {
    const isMultiCell = command.type !== "typeText";
    return (
      sheet !== this.model.sheet() ||
      // The list of rules may not include the latest one yet.
      !this.model.items.isSettled() ||
      this.model.items.ofKind("validation").some(
        ({ anchors }) => isMultiCell || anchors.some((anchor) => anchorContains(anchor, command)),
      )
    );
  }

  /** Enters a value that violates the rule. */
  enterAnyway(entry: Entry): void {
    this.close();
    this.model.command(wholeCommand(entry));
  }

  /** Enters a formula that cannot be read as a text, by an apostrophe before it. The rule of the cell applies. */
  enterAsText(entry: Entry): void {
    this.close();
    this.checkRule(withText(entry, `'${entry.text}`), () => {});
  }

  /** Reopens the edit with the rejected text. */
  reopenEdit({ sheet, cell, text }: Entry): void {
    this.close();
    this.model.openSheet(sheet);
    this.model.reveal(cell);
    this.model.cellEdit.startWith(text);
    this.model.focusCells();
    this.model.cellEdit.toggleQuick();
    queueMicrotask(() => this.model.cellEdit.placeCaret(text.length, "cell"));
  }

  /** Closes the alert. */
  close(): void {
    this.signal[1](undefined);
    this.model.focusCells();
  }

  /**
   * Runs an action that changes cells unless they are protected; if the protection only warns, asks
   * first. Engine and room enforce protection as well: this check gives an early and clear message.
   */
  guard(ranges: readonly Range[], proceed: () => void): void {
    const lock = lockOf(this.model, ranges);
    if (!lock) {
      proceed();
    } else if (lock.fields["warningOnly"] !== true) {
      withLaterParts(this.model, ({ describeProtection }) => this.model.toast(describeProtection(lock), true));
    } else if (performance.now() < this.warnedUntilMs) {
      proceed();
    } else {
      this.signal[1]({ kind: "lock", lock, proceed });
    }
  }

  /**
   * Closes the alert and runs the confirmed action; without `asksAgain`, suppresses the warning for
   * a while.
   */
  proceed(action: () => void, asksAgain: boolean): void {
    if (!asksAgain) {
      this.warnedUntilMs = performance.now() + WARNING_PAUSE_MS;
    }
    this.signal[1](undefined);
    this.model.focusCells();
    action();
  }

  /** Reports when pasted or filled values violate data validation. */
  async reportViolations(command: Command): Promise<void> {
    const { items } = this.model;
    if ((items.ofKind("validation").length > 0 || !items.isSettled()) && (await this.model.session.query({ type: "brokenRule", command }))) {
      this.model.toast(t("Some of these cells contain invalid values; they are marked by a red corner."), false, { icon: "info" });
    }
  }
}

/** The entry as one command, which is undone in one step. */
function wholeCommand({ command, format }: Entry): Command {
  return format ? { type: "many", commands: [command, format] } : command;
}

/** The entry with another text. */
function withText(entry: Entry, text: string): Entry {
  const change = (command: Command): Command => {
    switch (command.type) {
      case "typeText":
      case "typeEverywhere":
        return { ...command, text };
      case "inSight":
        return { ...command, command: change(command.command) };
      default:
        return command;
    }
  };
  return { ...entry, text, command: change(entry.command) };
}

function anchorContains(anchor: string, command: Command): boolean {
  const range = parseRange(anchor);
  const cell = command.type === "typeText" ? parseRange(command.cell) : undefined;
  return range !== undefined && cell !== undefined && contains(range, { row: cell.top, column: cell.left });
}
