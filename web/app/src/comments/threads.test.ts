import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionableNames, mentionsIn, threadsOf } from "./threads.ts";

test("threads are sorted by cell and their comments by time", () => {
  const items = [
    { id: 4, kind: "comment", anchors: [], fields: { parent: 1, text: "later", author: "Bo", time: 20 } },
    { id: 1, kind: "commentThread", anchors: ["C3"], fields: { resolved: true, resolvedBy: "Bo" } },
    { id: 3, kind: "comment", anchors: [], fields: { parent: 1, text: "first", author: "Al", time: 10, edited: 11 } },
    { id: 2, kind: "commentThread", anchors: ["A1"], fields: {} },
    { id: 5, kind: "comment", anchors: [], fields: { parent: 2, text: "other", author: "Al", time: 5 } },
    { id: 6, kind: "commentThread", anchors: ["B1"], fields: {} },
    { id: 7, kind: "note", anchors: ["B2"], fields: { text: "a note" } },
  ];
  assert.deepEqual(
    threadsOf(1, items).map((thread) => [thread.id, thread.isResolved, thread.comments.map(({ text }) => text)]),
    [
      [2, false, ["other"]],
      [1, true, ["first", "later"]],
    ],
  );
});

test("a mention is @ followed by the name of a present person", () => {
  assert.deepEqual(mentionsIn("@Ann Example and @Bob: look", ["Ann", "Ann Example", "Cy"]), ["Ann Example", "Ann"]);
  assert.deepEqual(mentionsIn("ann@example.org", ["Ann"]), []);
});

test("a thread has its assignee, and a comment its reactions", () => {
  const [thread] = threadsOf(1, [
    { id: 1, kind: "commentThread", anchors: ["A1"], fields: { assignee: "Bo", assignedBy: "Al", edited: 7 } },
    { id: 2, kind: "comment", anchors: [], fields: { parent: 1, text: "@Bo", author: "Al", mentions: ["Bo"] } },
    { id: 3, kind: "reaction", anchors: [], fields: { parent: 2, text: "👍", author: "Bo" } },
    { id: 4, kind: "reaction", anchors: [], fields: { parent: 9, text: "👍", author: "Bo" } },
  ]);
  assert.ok(thread);
  assert.deepEqual([thread.assignee, thread.assignedBy, thread.changedMs], ["Bo", "Al", 7]);
  assert.deepEqual(thread.comments[0]?.reactions.map(({ id }) => id), [3]);
  assert.deepEqual(mentionableNames(["Cy", ""], [thread]), ["Cy", "Bo", "Al"]);
});
