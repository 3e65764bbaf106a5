import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails } from "@quadrille/protocol";
import { notificationsOf } from "./notifications.ts";
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

test("the same event has the same key, and a later assignment another one", () => {
  const keys = (edited: number) => notificationsOf(threadsOf(1, [thread({ assignee: "Al", assignedBy: "Bo", edited }), comment(10, "Bo", "x")]), al).map(({ key }) => key);
  assert.deepEqual(keys(10), keys(10));
  assert.notDeepEqual(keys(10), keys(11));
});
