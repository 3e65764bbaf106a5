/** Reads the protection of the current sheet from its items. */

import { type Cell, type Locks, parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";
import { editorsOf, isEditor, type VerifiedPerson } from "./editors.ts";

/**
 * The protection that keeps this person from changing the ranges, if any; one that only warns comes
 * last.
 */
export function lockOf(model: WorkbookModel, ranges: readonly Range[]): ItemDetails | undefined {
  if (model.suggestions.isOn()) {
    return undefined; // protected contents can be suggested
  }
  const person = model.access.identification.person();
  const locks = model.items.ofKind("protectedRange").filter((item) => !isOpenTo(item, person) && ranges.some((range) => covers(item, range)));
  return locks.find((item) => item.fields["warningOnly"] !== true) ?? locks[0];
}

/** Whether a protection names this person as an editor. */
export function isOpenTo(item: ItemDetails, person: VerifiedPerson | undefined): boolean {
  const editors = editorsOf(item);
  return item.fields["warningOnly"] !== true && editors.length > 0 && isEditor(editors, person);
}

/** The protection of a cell, if it keeps this person from changing it. */
export function lockAt(model: WorkbookModel, { row, column }: Cell): ItemDetails | undefined {
  return lockOf(model, [{ top: row, bottom: row, left: column, right: column }]);
}

/** The protected ranges for the grid, without those that only warn or name this person. */
export function locksOf(items: readonly ItemDetails[], person: VerifiedPerson | undefined): Locks {
  const locked = items.filter((item) => item.kind === "protectedRange" && item.fields["warningOnly"] !== true && !isOpenTo(item, person));
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
