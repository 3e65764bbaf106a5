import assert from "node:assert/strict";
import { test } from "node:test";
import { REACTION_CHOICES, reactionGroups, singleEmoji } from "./reactions.ts";

test("an emoji is one picture, flag or key cap of Unicode's emoji sequences", () => {
  // From emoji-test.txt of Unicode 15.1: a variation selector, a skin tone, a family, flags, a key cap.
  const emoji = ["👍", "❤️", "👋🏽", "👨‍👩‍👧‍👦", "🇦🇹", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", ...REACTION_CHOICES];
  assert.deepEqual(emoji.map(singleEmoji), emoji);
  assert.equal(singleEmoji(" 🎉 "), "🎉");
  for (const other of ["", " ", "a", "1", "#", "👍👍", "ok 👍", "🇦", "é", "\u200d", `👍${"\u0301".repeat(20)}`]) {
    assert.equal(singleEmoji(other), undefined, other);
  }
});

test("reactions are grouped by emoji with each person once", () => {
  const reaction = (id: number, emoji: string, author: string, authorId = "") => ({ id, emoji, author, authorId, timeMs: id });
  const reactions = [
    reaction(3, "🎉", "Bo"),
    reaction(1, "👍", "Al"),
    reaction(2, "👍", "Bo"),
    reaction(4, "👍", "Al"),
    reaction(5, "no emoji", "Cy"),
    reaction(6, "👍", "Al", "account:2"),
  ];
  const groups = reactionGroups(reactions, { author: "Al", authorId: "account:1" });
  assert.deepEqual(
    groups.map(({ emoji, people, ownIds }) => [emoji, people.map(({ author }) => author), ownIds]),
    [
      // The account of another person with the same name; without an account, the name counts.
      ["👍", ["Al", "Bo"], [1, 4]],
      ["🎉", ["Bo"], []],
    ],
  );
});
