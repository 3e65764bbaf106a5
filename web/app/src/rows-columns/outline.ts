/** The outline of the sheet that is shown, as people change it. */

import { type Dimension, isWholeColumns } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { foldCommands, type Group, groupCommand, groupsOf, LEVELS_MAX, spanOf, ungroupCommands } from "./outline-groups.ts";

export class Outline {
  private readonly model: WorkbookModel;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  groups(dimension: Dimension): readonly Group[] {
    return groupsOf(this.model.items.list(), dimension);
  }

  /** Columns when whole columns are selected, otherwise rows. */
  private get dimension(): Dimension {
    return isWholeColumns(this.model.range) ? "columns" : "rows";
  }

  group(dimension = this.dimension): void {
    const { model } = this;
    const { first, last } = spanOf(model.range, dimension);
    this.run(dimension, (groups, sheet) => {
      const around = groups.filter((group) => group.first <= first && group.last >= last);
      if (around.length >= LEVELS_MAX) {
        model.toast(t("There are no more than {count} levels of groups.", { count: LEVELS_MAX }), true);
        return [];
      }
      return [groupCommand(sheet, newItemId(), dimension, first, last)];
    });
  }

  ungroup(dimension = this.dimension): void {
    const span = spanOf(this.model.range, dimension);
    this.run(dimension, (groups, sheet) => ungroupCommands(sheet, groups, span, newItemId));
  }

  toggle({ id: toggled, dimension }: Group): void {
    this.run(dimension, (groups, sheet) => foldCommands(sheet, groups, ({ id, isCollapsed }) => (id === toggled ? !isCollapsed : isCollapsed)));
  }

  /** Shows so many levels; 1 folds everything. */
  showLevels(dimension: Dimension, levels: number): void {
    this.run(dimension, (groups, sheet) => foldCommands(sheet, groups, ({ level }) => level >= levels));
  }

  /** The innermost group round the selection is folded or unfolded. */
  fold(isFolded: boolean): void {
    const { dimension } = this;
    const { first, last } = spanOf(this.model.range, dimension);
    this.run(dimension, (groups, sheet) => {
      // The line after a group speaks for it, as its button stands there.
      const near = groups.filter((group) => group.first <= last && group.last + 1 >= first && group.isCollapsed !== isFolded);
      const found = near.at(-1)?.id;
      return foldCommands(sheet, groups, ({ id, isCollapsed }) => (id === found ? isFolded : isCollapsed));
    });
  }

  /** On the groups as everything done so far has left them, which is more than what is drawn. */
  private run(dimension: Dimension, commandsOf: (groups: readonly Group[], sheet: number) => readonly Command[]): void {
    const { model } = this;
    const sheet = model.sheetId();
    model.keys.ask(model.items.settled(), () => {
      const commands = model.sheet() === sheet ? commandsOf(this.groups(dimension), sheet) : [];
      if (commands.length > 0) {
        model.command({ type: "many", commands: [...commands] });
      }
    });
    model.focusCells();
  }
}
