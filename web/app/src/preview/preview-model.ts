/** An open workbook while its engine is being loaded: what the server shows is drawn, and nothing can be changed yet. */

import { type Range, rangeName } from "@quadrille/grid";
import type { DecodedPreview } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { loadPreview, discardPreview, fetchPreview } from "./preview.ts";

/** More rows than this at once are not asked of the server. */
const ROWS_MAX = 300;
const COLUMNS_MAX = 60;

export class PreviewModel {
  private readonly model: WorkbookModel;
  private readonly signal = createSignal(false);
  /** Whether what shows comes from the server's look and not yet from the engine. */
  readonly isOn = this.signal[0];
  private newest: DecodedPreview | undefined;
  private isOver = false;
  private isAsking = false;
  private wish: { readonly sheet: number; readonly range: Range } | undefined;

  constructor(model: WorkbookModel) {
    this.model = model;
    void loadPreview(model.room).then((look) => {
      if (look && !this.isOver) {
        this.signal[1](true);
        model.title.setFromPreview(look.told.title);
        model.lookArrived(look.told.sheets, look.told.sheet);
        this.draw(look);
      }
    });
  }

  /** The engine has the workbook, or the page is left. */
  end(): void {
    this.isOver = true;
    this.wish = undefined;
    this.newest = undefined;
    this.signal[1](false);
    discardPreview();
  }

  /** Cells that come into sight; the newest wish counts. */
  want(sheet: number, ranges: readonly Range[]): void {
    const [main] = ranges;
    if (main && this.isOn() && !this.covers(sheet)) {
      const { top, left } = main;
      const bottom = Math.min(main.bottom, top + ROWS_MAX - 1);
      const right = Math.min(main.right, left + COLUMNS_MAX - 1);
      this.wish = { sheet, range: { top, left, bottom, right } };
      void this.ask();
    }
  }

  /** Whether what is in hand fills the screen; asking ahead is left to the engine. */
  private covers(sheet: number): boolean {
    const visible = this.model.grid?.view.visible;
    const window = this.newest?.window;
    return (
      visible !== undefined &&
      window?.sheet === sheet &&
      window.index(visible.top, visible.left) >= 0 &&
      window.index(visible.bottom, visible.right) >= 0
    );
  }

  private async ask(): Promise<void> {
    const { model, wish } = this;
    const name = model.sheets().find(({ id }) => id === wish?.sheet)?.name;
    if (this.isAsking || !wish || name === undefined) {
      return;
    }
    this.wish = undefined;
    this.isAsking = true;
    const look = await fetchPreview(model.room, { sheet: name, range: rangeName(wish.range) });
    this.isAsking = false;
    if (look && !this.isOver && look.told.sheet === model.sheet()) {
      this.draw(look);
    }
    void this.ask();
  }

  private draw(look: DecodedPreview): void {
    const isOfSameSheet = this.newest?.told.sheet === look.told.sheet;
    this.newest = look;
    if (isOfSameSheet) {
      this.model.grid?.setWindows([look.window]);
    } else {
      this.drawAgain();
    }
  }

  /** On a grid that is new. */
  drawAgain(): void {
    const { grid } = this.model;
    if (this.newest && this.isOn() && grid) {
      grid.setShape(this.newest.shape);
      grid.setWindows([this.newest.window]);
    }
  }
}
