/**
 * Groups of one's own: values that people put together under a name. They are groups of a field of
 * their own, which stands before the field of the values, as in Excel.
 */

import type { ItemDetails, ItemValue, PivotLabels } from "@quadrille/protocol";
import { changed, type FieldRecord, fieldsOf, isRecord, type Part } from "./fields.ts";

/** A group with its values, as the engine's `pivotLabels` names them. */
export interface OwnGroup {
  readonly name: string;
  readonly values: readonly string[];
}

/** Names for a new field, by the number behind them, and for a new group. */
export interface NewNames {
  readonly field: (number: number) => string;
  readonly group: (number: number) => string;
}

/** The groups of a field. */
export function ownGroups(field: FieldRecord | undefined): readonly OwnGroup[] {
  const stored = field?.["groups"];
  const groups = Array.isArray(stored) ? stored.filter(isRecord) : [];
  return groups.map(({ name, values }) => ({
    name: typeof name === "string" ? name : "",
    values: Array.isArray(values) ? values.filter((value) => typeof value === "string") : [],
  }));
}

/** A field with other groups. */
export function withGroups(field: FieldRecord, groups: readonly OwnGroup[]): FieldRecord {
  return changed(field, { groups: groups.map(({ name, values }) => ({ name, values: [...values] })) });
}

/** The fields of a list after its groups have been removed from one of them. */
export function withoutGroups(fields: readonly FieldRecord[], index: number): FieldRecord[] {
  const field = fields[index];
  const isOther = fields.some((other, at) => at !== index && other["column"] === field?.["column"]);
  // The field of the values remains; the last field of a column shows its values again.
  return fields.flatMap((other, at) => (at !== index ? [other] : isOther ? [] : [changed(other, { groups: null, name: null })]));
}

/** The part of the pivot table in which labels are. */
export function partOf(labels: PivotLabels): Part {
  return labels.isColumn ? "columns" : "rows";
}

/** Whether the labels are those of several values, so that they can be put into one group. */
export function canGroup(labels: PivotLabels): boolean {
  return labels.texts.length > 1;
}

/** Whether there is a group among the labels. */
export function canUngroup(item: ItemDetails, labels: PivotLabels): boolean {
  return ownGroups(fieldsOf(item, partOf(labels))[labels.field]).some(({ name }) => includes(labels.texts, name));
}

/**
 * The changed list of fields when labels are put into one group. A group among them keeps its name if
 * it is the only one; values leave the groups that they were in.
 */
export function grouped(item: ItemDetails, labels: PivotLabels, names: NewNames): Partial<Record<Part, ItemValue[]>> {
  const part = partOf(labels);
  const fields = fieldsOf(item, part);
  const field = fields[labels.field];
  if (!field) {
    return {};
  }
  const isOwn = (other: FieldRecord): boolean => other["column"] === field["column"] && ownGroups(other).length > 0;
  const index = isOwn(field) ? labels.field : fields.findIndex((other, at) => at < labels.field && isOwn(other));
  const groups = ownGroups(fields[index]);
  const chosen = index === labels.field ? groups.filter(({ name }) => includes(labels.texts, name)) : [];
  const others = labels.texts.filter((text) => !chosen.some(({ name }) => includes([text], name)));
  const values = [...chosen.flatMap((group) => group.values), ...others];
  const kept = groups
    .filter((group) => !chosen.includes(group))
    .map((group) => ({ ...group, values: group.values.filter((value) => !includes(values, value)) }))
    .filter((group) => group.values.length > 0);
  const name = chosen.length === 1 ? (chosen[0]?.name ?? "") : unused(kept.map((group) => group.name), names.group);
  const changedGroups = [...kept, { name, values }];
  if (index >= 0) {
    return { [part]: fields.map((other, at) => ({ ...(at === index ? withGroups(other, changedGroups) : other) })) };
  }
  const used = [...fieldsOf(item, "rows"), ...fieldsOf(item, "columns")].map((other) => other["name"]);
  const added = withGroups({ column: field["column"] ?? "", name: unused(used, names.field, 2) }, changedGroups);
  return { [part]: [...fields.slice(0, labels.field), added, ...fields.slice(labels.field)].map((other) => ({ ...other })) };
}

/** The changed list of fields when the groups among labels are removed. */
export function ungrouped(item: ItemDetails, labels: PivotLabels): Partial<Record<Part, ItemValue[]>> {
  const part = partOf(labels);
  const fields = fieldsOf(item, part);
  const kept = ownGroups(fields[labels.field]).filter(({ name }) => !includes(labels.texts, name));
  const changedFields = kept.length === 0 ? withoutGroups(fields, labels.field) : fields.map((field, at) => (at === labels.field ? withGroups(field, kept) : field));
  return { [part]: changedFields.map((field) => ({ ...field })) };
}

/** Whether a text is in a list, in lower or upper case. */
function includes(texts: readonly string[], text: string): boolean {
  return texts.some((other) => other.toLowerCase() === text.toLowerCase());
}

/** The first of the names by number that is not used. */
function unused(used: readonly (ItemValue | undefined)[], name: (number: number) => string, first = 1): string {
  let number = first;
  while (used.includes(name(number))) {
    number += 1;
  }
  return name(number);
}
