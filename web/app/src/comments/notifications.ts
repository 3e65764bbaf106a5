/** Notifications: what others have done in comments and suggestions that concerns the person of this page. */

import { type Range, rangeOf } from "@quadrille/grid";
import type { Suggestion } from "../suggestions/index.ts";
import { type Author, isSameAuthor, type Thread } from "./threads.ts";

/** What has happened. */
export type NotificationKind = "mention" | "reply" | "assigned" | "done" | "reaction" | "suggestion";

/** One thing that concerns the person. */
export interface Notification {
  /** The same on every device and after every reload. */
  readonly key: string;
  readonly kind: NotificationKind;
  /** Who has done it. */
  readonly who: string;
  /** The comment, the emoji of a reaction, or the suggested contents. */
  readonly text: string;
  readonly timeMs: number;
  readonly sheet: number;
  readonly cell: Range;
}

/** Notifications that are listed; older ones are left out. */
export const NOTIFICATIONS_MAX = 100;

/** Suggested contents that the text of a notification has. */
const CONTENTS_MAX = 5;

/** The notifications of a person, the newest first. `suggestions` are those that the person may accept. */
export function notificationsOf(threads: readonly Thread[], me: Author, suggestions: readonly Suggestion[] = []): Notification[] {
  const found = [...threads.flatMap((thread) => ofThread(thread, me)), ...ofSuggestions(suggestions, me)];
  return found.sort((a, b) => b.timeMs - a.timeMs || (a.key < b.key ? -1 : 1)).slice(0, NOTIFICATIONS_MAX);
}

function ofThread(thread: Thread, me: Author): Notification[] {
  const found: Notification[] = [];
  const { sheet, cell, comments } = thread;
  const add = (kind: NotificationKind, id: number, who: string, text: string, timeMs: number): void => {
    found.push({ key: `${kind} ${String(id)} ${String(timeMs)}`, kind, who, text, timeMs, sheet, cell });
  };
  const first = comments[0]?.text ?? "";
  const isAssigned = thread.assignee === me.author && thread.assignedBy !== me.author && !thread.isResolved;
  if (isAssigned) {
    add("assigned", thread.id, thread.assignedBy, first, thread.changedMs);
  }
  let takesPart = thread.assignee === me.author;
  for (const comment of comments) {
    const isOwn = isSameAuthor(comment, me);
    // The comment that assigns the thread mentions its assignee; one notification is enough.
    const assigns = isAssigned && comment.timeMs === thread.changedMs;
    if (!isOwn && !assigns) {
      if (comment.mentions.includes(me.author)) {
        add("mention", comment.id, comment.author, comment.text, comment.timeMs);
      } else if (takesPart && comment !== comments[0]) {
        add("reply", comment.id, comment.author, comment.text, comment.timeMs);
      }
    }
    takesPart ||= isOwn;
    for (const reaction of comment.reactions) {
      if (isOwn && !isSameAuthor(reaction, me)) {
        add("reaction", reaction.id, reaction.author, reaction.emoji, reaction.timeMs);
      }
    }
  }
  const starter = comments[0];
  const isOwnTask = thread.assignedBy === me.author || (starter !== undefined && isSameAuthor(starter, me));
  if (thread.assignee !== "" && thread.isResolved && thread.resolvedBy !== me.author && isOwnTask) {
    add("done", thread.id, thread.resolvedBy, first, thread.changedMs);
  }
  return found;
}

/** Suggestions that were made together are one notification, which stays the same while some are answered. */
function ofSuggestions(suggestions: readonly Suggestion[], me: Author): Notification[] {
  const together = new Map<string, { readonly first: Suggestion; readonly contents: string[] }>();
  for (const suggestion of suggestions) {
    if (!isSameAuthor(suggestion, me)) {
      const { sheet, author, authorId, timeMs, proposed } = suggestion;
      const key = `suggestion ${JSON.stringify([sheet, author, authorId, timeMs])}`;
      const group = together.get(key) ?? { first: suggestion, contents: [] };
      together.set(key, group);
      if (proposed !== "") {
        group.contents.push(proposed);
      }
    }
  }
  return [...together].map(([key, { first, contents }]) => {
    const shown = contents.slice(0, CONTENTS_MAX).join(" · ");
    const text = contents.length > CONTENTS_MAX ? `${shown} …` : shown;
    return { key, kind: "suggestion", who: first.author, text, timeMs: first.timeMs, sheet: first.sheet, cell: rangeOf(first.cell) };
  });
}
