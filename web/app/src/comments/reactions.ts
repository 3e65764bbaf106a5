/** Reactions to comments: which emoji count, and who has given them. */

import { type Author, isSameAuthor, type Reaction } from "./threads.ts";

/** The emoji that are offered; others can be typed. */
export const REACTION_CHOICES = ["👍", "❤️", "😄", "🎉", "👀", "✅"] as const;

/** Limit of the field in code points (`crates/workbook/src/items/schema.rs`). */
const EMOJI_MAX = 16;

/** The reactions to a comment with one emoji. */
export interface ReactionGroup {
  readonly emoji: string;
  /** Each person once, the first one first. */
  readonly people: readonly Author[];
  /** Reactions of the person of this page; several after clicks on two devices at once. */
  readonly ownIds: readonly number[];
}

/** The reactions by emoji, in the order in which the emoji were first given. */
export function reactionGroups(reactions: readonly Reaction[], me: Author): ReactionGroup[] {
  const groups = new Map<string, { people: Author[]; ownIds: number[] }>();
  for (const reaction of [...reactions].sort((a, b) => a.timeMs - b.timeMs || a.id - b.id)) {
    const emoji = singleEmoji(reaction.emoji);
    if (emoji === undefined) {
      continue; // Written by a program.
    }
    const group = groups.get(emoji) ?? { people: [], ownIds: [] };
    groups.set(emoji, group);
    if (!group.people.some((person) => isSameAuthor(person, reaction))) {
      group.people.push(reaction);
    }
    if (isSameAuthor(reaction, me)) {
      group.ownIds.push(reaction.id);
    }
  }
  return [...groups].map(([emoji, group]) => ({ emoji, ...group }));
}

/** The emoji that a text consists of; `undefined` if it is anything else than exactly one. */
export function singleEmoji(text: string): string | undefined {
  const trimmed = text.trim();
  if ([...trimmed].length > EMOJI_MAX || graphemeCount(trimmed) !== 1) {
    return undefined;
  }
  // Pictures, flags of two regional letters and key caps (UTS #51); digits alone are none.
  const isEmoji = /\p{Extended_Pictographic}/u.test(trimmed) || /^\p{Regional_Indicator}{2}$/u.test(trimmed) || /^[\d#*]\ufe0f?\u20e3$/u.test(trimmed);
  return isEmoji ? trimmed : undefined;
}

function graphemeCount(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
