/** Reads the protection of the current sheet from its items. */

import { type Cell, type Locks, parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { isolated, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The protection of the ranges, if any; one that only warns comes last. */
export function lockOf(model: WorkbookModel, ranges: readonly Range[]): ItemDetails | undefined {
  const locks = model.items.ofKind("protectedRange").filter((item) => ranges.some((range) => covers(item, range)));
  return locks.find((item) => item.fields["warningOnly"] !== true) ?? locks[0];
}

/** The protection of a cell, if any. */
export function lockAt(model: WorkbookModel, { row, column }: Cell): ItemDetails | undefined {
  return lockOf(model, [{ top: row, bottom: row, left: column, right: column }]);
}

/** The message for an edit of protected cells. */
export function describeProtection(lock: ItemDetails): string {
  const description = lock.fields["description"];
  const subject = lock.fields["wholeSheet"] === true ? t("This sheet is protected.") : t("These cells are protected.");
  const reason = typeof description === "string" && description !== "" ? ` ${isolated(asSentence(description))}` : "";
  return `${subject}${reason} ${t("Remove the protection with Data → Protected cells.")}`;
}

/** Adds a missing period. */
function asSentence(text: string): string {
  return /[.!?…。！？؟]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

/** The protected ranges for the grid, without those that only warn. */
export function locksOf(items: readonly ItemDetails[]): Locks {
  const locked = items.filter((item) => item.kind === "protectedRange" && item.fields["warningOnly"] !== true);
  const whole = locked.find((item) => item.fields["wholeSheet"] === true);
  return {
    ranges: locked.filter((item) => item.fields["wholeSheet"] !== true).flatMap(rangesOf),
    except: whole && rangesOf(whole),
  };
}

function covers(item: ItemDetails, range: Range): boolean {
  const ranges = rangesOf(item);
  return item.fields["wholeSheet"] === true
    ? !ranges.some((exception) => exception.top <= range.top && exception.bottom >= range.bottom && exception.left <= range.left && exception.right >= range.right)
    : ranges.some((locked) => locked.top <= range.bottom && locked.bottom >= range.top && locked.left <= range.right && locked.right >= range.left);
}

function rangesOf({ anchors }: ItemDetails): readonly Range[] {
  return anchors.flatMap((anchor) => parseRange(anchor) ?? []);
}

/** The localized text of an error for protected cells; `undefined` for other messages. */
export function protectionErrorText(message: string): string | undefined {
  const [, what, rest = ""] = /(these cells are|this sheet is) protected: (.*)$/.exec(message) ?? [];
  if (what === undefined) {
    return undefined;
  }
  const text = what === "this sheet is" ? t("This sheet is protected.") : t("These cells are protected.");
  return `${text} ${rest}. ${t("Remove the protection with Data → Protected cells.")}`;
}
