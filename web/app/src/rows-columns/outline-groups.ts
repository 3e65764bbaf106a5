/** Nested groups of rows or columns that can be collapsed, and the commands that change them. */

import { type Dimension, parseRange, rangeName } from "@quadrille/grid";
import { COLUMNS_MAX, type Range, ROWS_MAX } from "@quadrille/grid";
import type { Command, ItemDetails } from "@quadrille/protocol";

/** Maximum number of levels, as in Excel. */
export const LEVELS_MAX = 8;

/** A group of rows or columns. */
export interface Group {
  readonly id: number;
  readonly dimension: Dimension;
  readonly first: number;
  readonly last: number;
  readonly isCollapsed: boolean;
  /** Nesting level; 1 is the outermost. */
  readonly level: number;
}

/** The groups of a dimension, outer groups before inner ones, equal groups by identifier. */
export function groupsOf(items: readonly ItemDetails[], dimension: Dimension): readonly Group[] {
  const groups = items.flatMap(({ id, kind, anchors, fields }) => {
    const range = kind === "outlineGroup" && fields["dimension"] === dimension ? parseRange(anchors[0] ?? "") : undefined;
    const isCollapsed = fields["collapsed"] === true;
    return range ? [{ id, dimension, isCollapsed, ...spanOf(range, dimension) }] : [];
  });
  const sorted = groups.sort((a, b) => a.first - b.first || b.last - a.last || a.id - b.id);
  return sorted.map((group, index) => ({
    ...group,
    level: Math.min(LEVELS_MAX, 1 + sorted.slice(0, index).filter((outer) => outer.last >= group.last).length),
  }));
}

/** The rows or columns of a range. */
export function spanOf(range: Range, dimension: Dimension): { readonly first: number; readonly last: number } {
  return dimension === "rows" ? { first: range.top, last: range.bottom } : { first: range.left, last: range.right };
}

function anchorOf(dimension: Dimension, first: number, last: number): string {
  return rangeName(
    dimension === "rows"
      ? { top: first, bottom: last, left: 0, right: COLUMNS_MAX - 1 }
      : { top: 0, bottom: ROWS_MAX - 1, left: first, right: last },
  );
}

/** The command that creates a group. */
export function groupCommand(sheet: number, item: number, dimension: Dimension, first: number, last: number): Command {
  return { type: "setItem", sheet, item, kind: "outlineGroup", anchors: [anchorOf(dimension, first, last)], fields: { dimension } };
}

/** Removes a span from the innermost groups that contain it; the rest of each group stays. */
export function ungroupCommands(
  sheet: number,
  groups: readonly Group[],
  span: { readonly first: number; readonly last: number },
  newId: () => number,
): readonly Command[] {
  const touched = groups.filter((group) => group.first <= span.last && group.last >= span.first);
  const innermost = touched.filter(
    (group) => !touched.some((inner) => inner.level > group.level && inner.first >= group.first && inner.last <= group.last),
  );
  return innermost.flatMap((group): readonly Command[] => {
    const { dimension } = group;
    const showCommands = show(sheet, group, groups.filter(({ id }) => id !== group.id));
    const keepsStart = group.first < span.first;
    const keepsEnd = group.last > span.last;
    if (!keepsStart && !keepsEnd) {
      return [{ type: "removeItem", sheet, item: group.id }, ...showCommands];
    }
    const anchors = [keepsStart ? anchorOf(dimension, group.first, span.first - 1) : anchorOf(dimension, span.last + 1, group.last)];
    const shrunk: Command = { type: "setItem", sheet, item: group.id, anchors, fields: { collapsed: null } };
    return keepsStart && keepsEnd
      ? [shrunk, groupCommand(sheet, newId(), dimension, span.last + 1, group.last), ...showCommands]
      : [shrunk, ...showCommands];
  });
}

/** Collapses or expands groups; nested groups keep their state. */
export function collapseCommands(sheet: number, groups: readonly Group[], isCollapsed: (group: Group) => boolean): readonly Command[] {
  const after = groups.map((group) => ({ ...group, isCollapsed: isCollapsed(group) }));
  const changed = after.filter((group) => groups.find(({ id }) => id === group.id)?.isCollapsed !== group.isCollapsed);
  return changed.flatMap((group): readonly Command[] => [
    { type: "setItem", sheet, item: group.id, fields: { collapsed: group.isCollapsed ? true : null } },
    ...(group.isCollapsed ? [setHidden(sheet, group, group.first, group.last, true)] : show(sheet, group, after)),
  ]);
}

/** Shows the rows or columns of a group that no other group hides. */
function show(sheet: number, group: Group, groups: readonly Group[]): readonly Command[] {
  const collapsed = groups.filter((other) => other.isCollapsed && other.first <= group.last && other.last >= group.first);
  const commands: Command[] = [];
  let next = group.first;
  for (const other of [...collapsed].sort((a, b) => a.first - b.first)) {
    if (other.first > next) {
      commands.push(setHidden(sheet, group, next, other.first - 1, false));
    }
    next = Math.max(next, other.last + 1);
  }
  if (next <= group.last) {
    commands.push(setHidden(sheet, group, next, group.last, false));
  }
  return commands;
}

function setHidden(sheet: number, { dimension }: Group, first: number, last: number, hidden: boolean): Command {
  return { type: "setHidden", sheet, dimension, first, count: last - first + 1, hidden };
}
