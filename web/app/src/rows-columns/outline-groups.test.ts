import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "@quadrille/protocol";
import { collapseCommands, groupsOf, ungroupCommands } from "./outline-groups.ts";

const item = (id: number, anchor: string, collapsed = false) => ({
  id,
  kind: "outlineGroup",
  anchors: [anchor],
  fields: { dimension: "rows", ...(collapsed ? { collapsed } : {}) },
});

const text = (commands: readonly Command[]): readonly string[] =>
  commands.map((command) => {
    switch (command.type) {
      case "setHidden":
        return `${command.hidden ? "hide" : "show"} ${command.first + 1}:${command.first + command.count}`;
      case "setItem":
        return `${command.item ?? "new"} ${(command.anchors ?? []).join(" ")} ${JSON.stringify(command.fields)}`;
      case "removeItem":
        return `remove ${command.item}`;
      default:
        return command.type;
    }
  });

test("nested groups have increasing levels", () => {
  const groups = groupsOf([item(1, "3:4"), item(2, "2:9"), item(3, "6:8"), item(4, "6:8")], "rows");
  assert.deepEqual(
    groups.map(({ id, level }) => [id, level]),
    [[2, 1], [1, 2], [3, 2], [4, 3]],
  );
});

test("expanding a group keeps nested groups collapsed", () => {
  const groups = groupsOf([item(1, "2:9", true), item(2, "4:5", true)], "rows");
  assert.deepEqual(text(collapseCommands(1, groups, ({ id }) => id === 2)), ['1  {"collapsed":null}', "show 2:3", "show 6:9"]);
  assert.deepEqual(text(collapseCommands(1, groupsOf([item(1, "2:9")], "rows"), () => true)), ['1  {"collapsed":true}', "hide 2:9"]);
});

test("ungrouping removes rows from the innermost group and keeps the rest", () => {
  const groups = groupsOf([item(1, "2:9"), item(2, "4:6")], "rows");
  const ungroup = (first: number, last: number) => text(ungroupCommands(1, groups, { first, last }, () => 7));
  assert.deepEqual(ungroup(3, 5), ["remove 2", "show 4:6"]);
  assert.deepEqual(ungroup(4, 4), ['2 4:4 {"collapsed":null}', '7 6:6 {"dimension":"rows"}', "show 4:6"]);
  assert.deepEqual(ungroup(7, 8), ['1 2:7 {"collapsed":null}', "show 2:9"]);
});
