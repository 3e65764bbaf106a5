/** Protected cells and sheets, as the items of the sheet that is shown say. */

import { type Cell, type Locks, parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { isolated, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The protection that these cells are under; one that only warns comes last. */
export function lockOf(model: WorkbookModel, ranges: readonly Range[]): ItemDetails | undefined {
  const found = model.items.ofKind("protectedRange").filter((item) => ranges.some((range) => covers(item, range)));
  return found.find((item) => item.fields["warningOnly"] !== true) ?? found[0];
}

export function lockAt(model: WorkbookModel, { row, column }: Cell): ItemDetails | undefined {
  return lockOf(model, [{ top: row, bottom: row, left: column, right: column }]);
}

export function describeProtection(lock: ItemDetails): string {
  const description = lock.fields["description"];
  const what = lock.fields["wholeSheet"] === true ? t("This sheet is protected.") : t("These cells are protected.");
  const why = typeof description === "string" && description !== "" ? ` ${isolated(asSentence(description))}` : "";
  return `${what}${why} ${t("Remove the protection with Data → Protected cells.")}`;
}

/** What a person wrote may lack its stop. */
function asSentence(text: string): string {
  return /[.!?…。！？؟]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

/** For drawing: only what refuses, not what warns. */
export function locksOf(items: readonly ItemDetails[]): Locks {
  const closed = items.filter((item) => item.kind === "protectedRange" && item.fields["warningOnly"] !== true);
  const whole = closed.find((item) => item.fields["wholeSheet"] === true);
  return {
    ranges: closed.filter((item) => item.fields["wholeSheet"] !== true).flatMap(rangesOf),
    except: whole && rangesOf(whole),
  };
}

function covers(item: ItemDetails, range: Range): boolean {
  const ranges = rangesOf(item);
  return item.fields["wholeSheet"] === true
    ? !ranges.some((open) => open.top <= range.top && open.bottom >= range.bottom && open.left <= range.left && open.right >= range.right)
    : ranges.some((closed) => closed.top <= range.bottom && closed.bottom >= range.top && closed.left <= range.right && closed.right >= range.left);
}

function rangesOf({ anchors }: ItemDetails): readonly Range[] {
  return anchors.flatMap((anchor) => parseRange(anchor) ?? []);
}

/** What the core says of protected cells, in the reader's language. */
export function engineErrorParts(message: string): string | undefined {
  const [, what, rest = ""] = /(these cells are|this sheet is) protected: (.*)$/.exec(message) ?? [];
  if (what === undefined) {
    return undefined;
  }
  const words = what === "this sheet is" ? t("This sheet is protected.") : t("These cells are protected.");
  return `${words} ${rest}. ${t("Remove the protection with Data → Protected cells.")}`;
}
