/** Derives comment threads from items. */

import { parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";

/** One comment or reply. */
export interface Comment {
  readonly id: number;
  readonly text: string;
  readonly author: string;
  readonly timeMs: number;
  readonly isEdited: boolean;
}

/** The comments on one cell. */
export interface Thread {
  readonly id: number;
  readonly sheet: number;
  readonly cell: Range;
  readonly isResolved: boolean;
  readonly resolvedBy: string;
  readonly comments: readonly Comment[];
}

/** The threads of one sheet, in the order of their cells; threads without comments are omitted. */
export function threadsOf(sheet: number, items: readonly ItemDetails[]): Thread[] {
  const replies = new Map<number, Comment[]>();
  for (const item of items) {
    const { parent } = item.fields;
    if (item.kind === "comment" && typeof parent === "number") {
      replies.set(parent, [...(replies.get(parent) ?? []), commentOf(item)]);
    }
  }
  return items
    .flatMap((item): Thread[] => {
      const cell = parseRange(item.anchors[0] ?? "");
      const comments = replies.get(item.id) ?? [];
      if (item.kind !== "commentThread" || !cell || comments.length === 0) {
        return [];
      }
      return [
        {
          id: item.id,
          sheet,
          cell,
          isResolved: item.fields["resolved"] === true,
          resolvedBy: text(item.fields["resolvedBy"]),
          comments: comments.sort((a, b) => a.timeMs - b.timeMs || a.id - b.id),
        },
      ];
    })
    .sort((a, b) => a.cell.top - b.cell.top || a.cell.left - b.cell.left || a.id - b.id);
}

function commentOf(item: ItemDetails): Comment {
  return {
    id: item.id,
    text: text(item.fields["text"]),
    author: text(item.fields["author"]),
    timeMs: typeof item.fields["time"] === "number" ? item.fields["time"] : 0,
    isEdited: item.fields["edited"] !== undefined,
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The names that are mentioned with `@`, longest first, as names can contain spaces. */
export function mentionsIn(comment: string, names: readonly string[]): string[] {
  const sorted = [...new Set(names)].sort((a, b) => b.length - a.length);
  return sorted.filter((name) => comment.includes(`@${name}`));
}
