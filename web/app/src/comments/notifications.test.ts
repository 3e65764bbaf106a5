import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails } from "@quadrille/protocol";
import { notificationsOf } from "./notifications.ts";
import type { Suggestion } from "../suggestions/index.ts";
import { threadsOf } from "./threads.ts";

const al = { author: "Al", authorId: "" };
const bo = { author: "Bo", authorId: "" };

/** What a person is told of these items, the newest first. */
function told(items: readonly ItemDetails[], me = al): string[] {
  return notificationsOf(threadsOf(1, items), me).map(({ kind, who, text }) => `${kind} ${who}: ${text}`);
}

function thread(fields: ItemDetails["fields"] = {}): ItemDetails {
  return { id: 1, kind: "commentThread", anchors: ["B2"], fields };
}

function comment(id: number, author: string, text: string, more: ItemDetails["fields"] = {}): ItemDetails {
  return { id, kind: "comment", anchors: [], fields: { parent: 1, author, text, time: id, ...more } };
}

test("mentions and replies to threads in which somebody takes part are told", () => {
  const items = [
    thread(),
    comment(10, "Bo", "@Al why?", { mentions: ["Al"] }),
    comment(11, "Cy", "before Al takes part"),
    comment(12, "Al", "because"),
    comment(13, "Bo", "thanks"),
  ];
  assert.deepEqual(told(items), ["reply Bo: thanks", "mention Bo: @Al why?"]);
  assert.deepEqual(told(items, bo), ["reply Al: because", "reply Cy: before Al takes part"]);
  assert.deepEqual(told(items, { author: "Di", authorId: "" }), []);
});

test("an assigned task is told once, and its end to whoever assigned it", () => {
  const open = [thread({ assignee: "Al", assignedBy: "Bo", edited: 10 }), comment(10, "Bo", "@Al check", { mentions: ["Al"] })];
  assert.deepEqual(told(open), ["assigned Bo: @Al check"]);
  assert.deepEqual(told(open, bo), []);
  const done = [thread({ assignee: "Al", assignedBy: "Bo", edited: 20, resolved: true, resolvedBy: "Al" }), ...open.slice(1)];
  assert.deepEqual(told(done, bo), ["done Al: @Al check"]);
  assert.deepEqual(told(done), ["mention Bo: @Al check"]);
  const own = [thread({ assignee: "Al", assignedBy: "Al", edited: 10 }), comment(10, "Al", "@Al later", { mentions: ["Al"] })];
  assert.deepEqual(told(own), []);
});

test("reactions of others to own comments are told", () => {
  const reaction = (id: number, author: string) => ({ id, kind: "reaction", anchors: [], fields: { parent: 10, text: "👍", author, time: id } });
  assert.deepEqual(told([thread(), comment(10, "Al", "done"), reaction(20, "Bo"), reaction(21, "Al")]), ["reaction Bo: 👍"]);
  assert.deepEqual(told([thread(), comment(10, "Cy", "done"), reaction(20, "Bo")]), []);
});

test("suggestions that were made together are told once, and not to whoever made them", () => {
  const suggestion = (id: number, row: number, author: string, timeMs: number, proposed: string): Suggestion => ({ id, sheet: 1, cell: { row: row - 1, column: 0 }, proposed, isNumber: false, author, authorId: "", timeMs, note: "" });
  const items = [suggestion(1, 1, "Bo", 10, "12"), suggestion(2, 2, "Bo", 10, "14"), suggestion(3, 3, "Bo", 20, ""), suggestion(4, 4, "Al", 30, "1")];
  const all = (left: readonly Suggestion[], me = al) => notificationsOf([], me, left);
  assert.deepEqual(
    all(items).map(({ who, text, cell }) => [who, text, cell.top]),
    [
      ["Bo", "", 2],
      ["Bo", "12 · 14", 0],
    ],
  );
  assert.deepEqual(all(items, bo).map(({ who }) => who), ["Al"]);
  // One of the two is answered.
  assert.deepEqual(all(items.slice(1)).map(({ key }) => key), all(items).map(({ key }) => key));
  const many = Array.from({ length: 9 }, (_, row) => suggestion(row + 1, row + 1, "Bo", 10, String(row)));
  assert.equal(all(many)[0]?.text, "0 · 1 · 2 · 3 · 4 …");
});

test("the same event has the same key, and a later assignment another one", () => {
  const keys = (edited: number) => notificationsOf(threadsOf(1, [thread({ assignee: "Al", assignedBy: "Bo", edited }), comment(10, "Bo", "x")]), al).map(({ key }) => key);
  assert.deepEqual(keys(10), keys(10));
  assert.notDeepEqual(keys(10), keys(11));
});
