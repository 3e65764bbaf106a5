/** The outline of the sheet that is shown, as people change it. */

import { type Dimension, isWholeColumns } from "@quadrille/grid";
import type { Command } from "@quadrille/protocol";
import { t } from "../../language/language.ts";
import { newItemId } from "../items.ts";
import type { WorkbookModel } from "../model.ts";
import { foldCommands, type Group, groupCommand, groupsOf, LEVELS_MAX, spanOf, ungroupCommands } from "./groups.ts";

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
    const around = this.groups(dimension).filter((group) => group.first <= first && group.last >= last);
    if (around.length >= LEVELS_MAX) {
      model.toast(t("There are no more than {count} levels of groups.", { count: LEVELS_MAX }), true);
    } else {
      model.command(groupCommand(model.sheetId(), newItemId(), dimension, first, last));
    }
    model.focusCells();
  }

  ungroup(dimension = this.dimension): void {
    const { model } = this;
    this.run(ungroupCommands(model.sheetId(), this.groups(dimension), spanOf(model.range, dimension), newItemId));
  }

  toggle(group: Group): void {
    this.run(
      foldCommands(this.model.sheetId(), this.groups(group.dimension), ({ id, isCollapsed }) => (id === group.id ? !isCollapsed : isCollapsed)),
    );
  }

  /** Shows so many levels; 1 folds everything. */
  showLevels(dimension: Dimension, levels: number): void {
    this.run(foldCommands(this.model.sheetId(), this.groups(dimension), ({ level }) => level >= levels));
  }

  /** The innermost group round the selection is folded or unfolded. */
  fold(isFolded: boolean): void {
    const { dimension } = this;
    const { first, last } = spanOf(this.model.range, dimension);
    // The line after a group speaks for it, as its button stands there.
    const near = this.groups(dimension).filter((group) => group.first <= last && group.last + 1 >= first && group.isCollapsed !== isFolded);
    const group = near.at(-1);
    if (group) {
      this.toggle(group);
    }
  }

  private run(commands: readonly Command[]): void {
    if (commands.length > 0) {
      this.model.command({ type: "many", commands: [...commands] });
    }
    this.model.focusCells();
  }
}
