/** The outline (groups of rows and columns) of the current sheet. */

import { type Dimension, isWholeColumns } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { collapseCommands, type Group, groupCommand, groupsOf, LEVELS_MAX, spanOf, ungroupCommands } from "./outline-groups.ts";

/** Groups of the current sheet. */
export class Outline {
  private readonly model: WorkbookModel;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** The groups of a dimension. */
  groups(dimension: Dimension): readonly Group[] {
    return groupsOf(this.model.items.list(), dimension);
  }

  /** Columns if whole columns are selected, otherwise rows. */
  private get dimension(): Dimension {
    return isWholeColumns(this.model.range) ? "columns" : "rows";
  }

  /** Groups the selected rows or columns. */
  group(dimension = this.dimension): void {
    const { model } = this;
    const { first, last } = spanOf(model.range, dimension);
    this.run(dimension, (groups, sheet) => {
      const outerGroups = groups.filter((group) => group.first <= first && group.last >= last);
      if (outerGroups.length >= LEVELS_MAX) {
        model.toast(t("Groups can have at most {count} levels.", { count: LEVELS_MAX }), true);
        return [];
      }
      return [groupCommand(sheet, newItemId(), dimension, first, last)];
    });
  }

  /** Removes the selected rows or columns from their group. */
  ungroup(dimension = this.dimension): void {
    const span = spanOf(this.model.range, dimension);
    this.run(dimension, (groups, sheet) => ungroupCommands(sheet, groups, span, newItemId));
  }

  /** Collapses or expands a group. */
  toggle({ id: toggledId, dimension }: Group): void {
    this.run(dimension, (groups, sheet) => collapseCommands(sheet, groups, ({ id, isCollapsed }) => (id === toggledId ? !isCollapsed : isCollapsed)));
  }

  /** Shows the given number of levels; 1 collapses all groups. */
  showLevels(dimension: Dimension, levels: number): void {
    this.run(dimension, (groups, sheet) => collapseCommands(sheet, groups, ({ level }) => level >= levels));
  }

  /** Collapses or expands the innermost group around the selection. */
  setCollapsed(collapses: boolean): void {
    const { dimension } = this;
    const { first, last } = spanOf(this.model.range, dimension);
    this.run(dimension, (groups, sheet) => {
      // The row or column after a group counts as part of it, as the button is there.
      const near = groups.filter((group) => group.first <= last && group.last + 1 >= first && group.isCollapsed !== collapses);
      const target = near.at(-1)?.id;
      return collapseCommands(sheet, groups, ({ id, isCollapsed }) => (id === target ? collapses : isCollapsed));
    });
  }

  /** Runs commands on the groups after all pending commands. */
  private run(dimension: Dimension, commandsOf: (groups: readonly Group[], sheet: number) => readonly Command[]): void {
    const { model } = this;
    const sheet = model.sheetId();
    model.keys.waitForAnswer(model.items.settled(), () => {
      const commands = model.sheet() === sheet ? commandsOf(this.groups(dimension), sheet) : [];
      if (commands.length > 0) {
        model.command({ type: "many", commands: [...commands] });
      }
    });
    model.focusCells();
  }
}
