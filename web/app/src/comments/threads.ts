/** Derives comment threads from items. */

import { parseRange, type Range } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { WorkbookModel } from "../state/index.ts";

/** Who has written something: the account of the person, if known, and the name. */
export interface Author {
  readonly author: string;
  readonly authorId: string;
}

/** An emoji that one person has given to a comment. */
export interface Reaction extends Author {
  readonly id: number;
  readonly emoji: string;
  readonly timeMs: number;
}

/** One comment or reply. */
export interface Comment extends Author {
  readonly id: number;
  readonly text: string;
  readonly timeMs: number;
  readonly isEdited: boolean;
  readonly mentions: readonly string[];
  readonly reactions: readonly Reaction[];
}

/** The comments on one cell. */
export interface Thread {
  readonly id: number;
  readonly sheet: number;
  readonly cell: Range;
  readonly isResolved: boolean;
  readonly resolvedBy: string;
  /** The person whose task the thread is; empty if it is none. */
  readonly assignee: string;
  readonly assignedBy: string;
  /** When the thread was assigned, resolved or reopened the last time; 0 if never. */
  readonly changedMs: number;
  readonly comments: readonly Comment[];
}

/** The person of this page as the author of comments. */
export function ownAuthor(model: WorkbookModel): Author {
  return { author: model.identity().name, authorId: model.access.identification.person()?.account ?? "" };
}

/** The fields of an author: the account is left out if there is none. */
export function authorFields({ author, authorId }: Author): { author: string; authorId?: string } {
  return { author, ...(authorId !== "" && { authorId }) };
}

/** Whether two authors are one person: by their accounts, or else by their names. */
export function isSameAuthor(a: Author, b: Author): boolean {
  return a.authorId !== "" && b.authorId !== "" ? a.authorId === b.authorId : a.author === b.author;
}

/** The threads of one sheet, in the order of their cells; threads without comments are omitted. */
export function threadsOf(sheet: number, items: readonly ItemDetails[]): Thread[] {
  const reactions = childrenOf(items, "reaction", reactionOf);
  const replies = childrenOf(items, "comment", (item) => commentOf(item, reactions.get(item.id) ?? []));
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
          assignee: text(item.fields["assignee"]),
          assignedBy: text(item.fields["assignedBy"]),
          changedMs: number(item.fields["edited"]),
          comments: comments.sort((a, b) => a.timeMs - b.timeMs || a.id - b.id),
        },
      ];
    })
    .sort((a, b) => a.cell.top - b.cell.top || a.cell.left - b.cell.left || a.id - b.id);
}

/** The items of a kind by their parent. */
function childrenOf<T>(items: readonly ItemDetails[], kind: string, read: (item: ItemDetails) => T): Map<number, T[]> {
  const children = new Map<number, T[]>();
  for (const item of items) {
    const { parent } = item.fields;
    if (item.kind === kind && typeof parent === "number") {
      const siblings = children.get(parent);
      if (siblings) {
        siblings.push(read(item));
      } else {
        children.set(parent, [read(item)]);
      }
    }
  }
  return children;
}

function commentOf({ id, fields }: ItemDetails, reactions: readonly Reaction[]): Comment {
  const { mentions } = fields;
  return {
    id,
    text: text(fields["text"]),
    author: text(fields["author"]),
    authorId: text(fields["authorId"]),
    timeMs: number(fields["time"]),
    isEdited: fields["edited"] !== undefined,
    mentions: Array.isArray(mentions) ? mentions.filter((name) => typeof name === "string") : [],
    reactions,
  };
}

function reactionOf({ id, fields }: ItemDetails): Reaction {
  return {
    id,
    emoji: text(fields["text"]),
    author: text(fields["author"]),
    authorId: text(fields["authorId"]),
    timeMs: number(fields["time"]),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The names that are mentioned with `@`, longest first, as names can contain spaces. */
export function mentionsIn(comment: string, names: readonly string[]): string[] {
  const sorted = [...new Set(names)].sort((a, b) => b.length - a.length);
  return sorted.filter((name) => name !== "" && comment.includes(`@${name}`));
}

/** Everybody who can be mentioned: the people here, and those who have taken part in comments. */
export function mentionableNames(present: readonly string[], threads: readonly Thread[]): string[] {
  const others = threads.flatMap(({ assignee, comments }) => [assignee, ...comments.flatMap(({ author, mentions }) => [author, ...mentions])]);
  return [...new Set([...present, ...others])].filter((name) => name !== "");
}
