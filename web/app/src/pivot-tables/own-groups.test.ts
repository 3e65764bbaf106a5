import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails, PivotLabels } from "@quadrille/protocol";
import { canGroup, canUngroup, grouped, ungrouped } from "./own-groups.ts";

const names = { field: (number: number) => `Region${number}`, group: (number: number) => `Group${number}` };
const REGION = { column: "=$A:$A", order: "descending" };
const MONTH = { column: "=$B:$B" };

function item(rows: readonly object[]): ItemDetails {
  return { id: 7, kind: "pivotTable", anchors: ["D1"], fields: { rows } } as unknown as ItemDetails;
}

function labels(field: number, ...texts: string[]): PivotLabels {
  return { item: 7, isColumn: false, field, texts };
}

function areas(...groups: readonly (readonly [name: string, ...values: string[]])[]): object {
  return { column: "=$A:$A", name: "Region2", groups: groups.map(([name, ...values]) => ({ name, values })) };
}

test("the first group adds a field before that of its values", () => {
  assert.deepEqual(grouped(item([MONTH, REGION]), labels(1, "East", "West"), names), {
    rows: [MONTH, areas(["Group1", "East", "West"]), REGION],
  });
  assert.equal(canGroup(labels(1, "East")), false);
});

test("further groups are added to the same field, and values leave their groups", () => {
  const before = item([areas(["Group1", "East", "West"], ["Group2", "South"]), REGION]);
  assert.deepEqual(grouped(before, labels(1, "North", "west"), names), {
    rows: [areas(["Group1", "East"], ["Group2", "South"], ["Group3", "North", "west"]), REGION],
  });
  assert.deepEqual(grouped(before, labels(1, "North", "South"), names), {
    rows: [areas(["Group1", "East", "West"], ["Group2", "North", "South"]), REGION],
  });
});

test("a group takes in values and keeps its name; groups become one", () => {
  const before = item([areas(["Coast", "East"], ["Hills", "North"]), REGION]);
  assert.deepEqual(grouped(before, labels(0, "coast", "West"), names), { rows: [areas(["Hills", "North"], ["Coast", "East", "West"]), REGION] });
  assert.deepEqual(grouped(before, labels(0, "Coast", "Hills"), names), { rows: [areas(["Group1", "East", "North"]), REGION] });
});

test("the last group removes its field, or what the field has of it", () => {
  const two = item([areas(["Coast", "East"], ["Hills", "North"]), REGION]);
  assert.equal(canUngroup(two, labels(0, "Coast", "West")), true);
  assert.equal(canUngroup(two, labels(0, "West")), false);
  assert.equal(canUngroup(two, labels(1, "Coast")), false);
  assert.deepEqual(ungrouped(two, labels(0, "COAST", "West")), { rows: [areas(["Hills", "North"]), REGION] });
  assert.deepEqual(ungrouped(two, labels(0, "Coast", "Hills")), { rows: [REGION] });
  assert.deepEqual(ungrouped(item([areas(["Coast", "East"])]), labels(0, "Coast")), { rows: [{ column: "=$A:$A" }] });
});
