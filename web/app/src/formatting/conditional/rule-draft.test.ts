import assert from "node:assert/strict";
import { test } from "node:test";
import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { draftOf, fieldsOf, kindOf, lastPriority, priorityChanges, newDraft, sortedRules, defaultLimits } from "./rule-draft.ts";
import { KINDS } from "./rule-kinds.ts";

const rule = (id: number, fields: Record<string, ItemValue>): ItemDetails => ({ id, kind: "conditionalRule", anchors: ["A1:A9"], fields });
const withoutNull = (fields: Record<string, ItemValue>): Record<string, ItemValue> => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

test("every kind of rule is converted to a draft and back without loss", () => {
  for (const [index, { rule: name }] of KINDS.entries()) {
    const fields = withoutNull(fieldsOf({ ...newDraft("A1", { bold: true }), kind: index, first: "3", second: "5" }, undefined));
    const item = rule(1, fields);
    assert.equal(kindOf(item), index, name);
    assert.deepEqual(withoutNull({ ...fields, ...fieldsOf(draftOf(item), item) }), fields, name);
  }
});

test("fields that the dialog does not show are kept until the kind changes", () => {
  const scale = rule(1, { rule: "colorScale", stops: [{ at: "number", value: 3, color: "#000000" }, { at: "formula", formula: "=B1", color: "#ffffff" }] });
  assert.deepEqual(fieldsOf(draftOf(scale), scale)["stops"], scale.fields["stops"]);
  const bar = rule(4, { rule: "dataBar", stops: [{ at: "number", value: 0 }, { at: "number", value: 9 }], gradient: true });
  assert.deepEqual(Object.keys(fieldsOf(draftOf(bar), bar)).filter((name) => name === "stops" || name === "gradient"), []);
  const average = rule(2, { rule: "aboveAverage", deviations: 2, format: { bold: true, borderColor: "#123456" } });
  assert.deepEqual(fieldsOf(draftOf(average), average), { rule: "aboveAverage", format: { bold: true, borderColor: "#123456" }, stop: null });
  assert.equal(fieldsOf({ ...draftOf(average), kind: KINDS.findIndex(({ rule }) => rule === "blank") }, average)["deviations"], null);
  const icons = rule(3, { rule: "iconSet", iconSet: "3Arrows", stops: [{ at: "percent", value: 0 }, { at: "number", value: 1, orEqual: false }, { at: "percentile", value: 90 }] });
  assert.deepEqual(fieldsOf(draftOf(icons), icons)["stops"], icons.fields["stops"]);
  assert.equal(fieldsOf({ ...draftOf(icons), iconSet: "5Arrows", limits: [] }, icons)["stops"], null);
});

test("default icon thresholds divide the values into equal parts", () => {
  assert.deepEqual(defaultLimits("5Arrows").map(({ at, value }) => `${at} ${value}`), ["percent 20", "percent 40", "percent 60", "percent 80"]);
  assert.deepEqual(defaultLimits("3Flags").map(({ value }) => value), ["33", "67"]);
});

test("rules are sorted by priority, and a move changes as few priorities as possible", () => {
  const rules = sortedRules([rule(9, { priority: 2 }), rule(7, { priority: 2 }), rule(8, { priority: 1 }), rule(4, {})]);
  assert.deepEqual(rules.map(({ id }) => id), [4, 8, 7, 9]);
  assert.equal(lastPriority(rules), 3);
  const numbered = [1, 2, 3, 4].map((priority) => rule(10 + priority, { priority }));
  assert.deepEqual(priorityChanges(numbered, 2, 1), [{ id: 13, priority: 2 }, { id: 12, priority: 3 }]);
  assert.deepEqual(priorityChanges(numbered, 0, 3).map(({ id }) => id), [12, 13, 14, 11]);
});
