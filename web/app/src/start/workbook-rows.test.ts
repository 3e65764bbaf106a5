import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { daysLeft, type ListedWorkbook, type ListName, rowsOf } from "./workbook-rows.ts";

const STORED: Readonly<Record<string, string>> = {
  "quadrille.keys": JSON.stringify({ mine: "qo_x", gone: "qo_x", thrown: "qo_x" }),
  "quadrille.links": JSON.stringify({ theirs: "ql_x" }),
  "quadrille.recent": JSON.stringify([
    { room: "theirs", title: "Old title", visitedAtMs: 5 },
    { room: "open", visitedAtMs: 4 },
  ]),
};

function workbook(room: string, more: Partial<ListedWorkbook>): ListedWorkbook {
  return { room, title: null, role: "owner", owner: null, isMine: true, changedMs: 1, trashedMs: null, ...more };
}

const LOOKED = new Map(
  [
    workbook("mine", { title: "Mine", changedMs: 2 }),
    workbook("thrown", { trashedMs: 9 }),
    workbook("theirs", { title: "New title", isMine: false, role: "view" }),
    workbook("open", { isMine: false, role: "edit" }),
  ].map((row) => [row.room, row]),
);

function rooms(list: ListName, looked: ReadonlyMap<string, ListedWorkbook> | undefined, account: readonly ListedWorkbook[] = [], search = ""): string[] {
  return rowsOf(list, looked, account, search).map(({ room }) => room);
}

describe("rows of the start page", () => {
  beforeEach(() => {
    Object.assign(globalThis, { localStorage: { getItem: (name: string) => STORED[name] ?? null }, sessionStorage: { getItem: () => null } });
  });

  test("keys, links, visits and the trash have a list each", () => {
    assert.deepEqual(rooms("recent", LOOKED), ["theirs", "open"]);
    assert.deepEqual(rooms("mine", LOOKED), ["mine"]);
    assert.deepEqual(rooms("shared", LOOKED), ["theirs"]);
    assert.deepEqual(rooms("trash", LOOKED), ["thrown"]);
    assert.equal(rowsOf("recent", LOOKED, [], "")[0]?.title, "New title");
  });

  test("the workbooks of the account are sorted among those of the browser", () => {
    const account = [workbook("newest", { changedMs: 3 }), workbook("oldest", { changedMs: 1 })];
    assert.deepEqual(rooms("mine", LOOKED, account), ["newest", "mine", "oldest"]);
  });

  test("offline the lists have what the browser remembers", () => {
    assert.deepEqual(rooms("mine", undefined), ["mine", "gone", "thrown"]);
    assert.deepEqual(rooms("shared", undefined), ["theirs"]);
    assert.deepEqual(rooms("trash", undefined), []);
    assert.equal(rowsOf("shared", undefined, [], "")[0]?.title, "Old title");
  });

  test("the search ignores case and finds names of rooms without a title", () => {
    assert.deepEqual(rooms("recent", LOOKED, [], " new "), ["theirs"]);
    assert.deepEqual(rooms("recent", LOOKED, [], "OPEN"), ["open"]);
  });

  test("the trash is emptied after 30 days", () => {
    const day = 86_400_000;
    assert.deepEqual([0, 0.5, 29, 30, 40].map((age) => daysLeft(0, age * day)), [30, 30, 1, 0, 0]);
  });
});
