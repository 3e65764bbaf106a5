/**
 * Following somebody: the sheet on screen and its place go where they go, until one selects or scrolls something oneself.
 *
 * Their selection comes as everybody's does. What they scroll to is told only to who follows: they are asked for it.
 */

import type { Cell } from "@quadrille/grid";
import type { Person } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { followFrame, readFollowFrame, scrolledFrame } from "./follow-frames.ts";

/** What others see of scrolling is sent at most this often (P25). */
const SCROLLED_MS = 150;

/** Rows and columns that another screen may show more, and that are made up for. */
const NEAR = 4;

export class Following {
  private readonly model: WorkbookModel;
  /** The session of whoever is followed. */
  private readonly signal = createSignal<string>();
  private isConnected = false;
  /** Somebody wants to know what is seen here. */
  private isFollowed = false;
  private timer = 0;
  /** Where they were when it was last gone along with. */
  private seen = "";
  private isMoving = false;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Who scrolls goes their own way. */
  attach(element: HTMLElement, signal: AbortSignal): void {
    for (const scrolls of ["wheel", "touchmove"] as const) {
      element.addEventListener(scrolls, () => this.stop(), { passive: true, signal });
    }
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  person(): Person | undefined {
    const session = this.signal[0]();
    return this.model.people().find((person) => person.session === session);
  }

  start(session: string): void {
    this.signal[1](session);
    this.seen = "";
    this.model.session.sendFrame(followFrame(session));
    this.goAlong();
  }

  stop(): void {
    if (this.signal[0]() !== undefined && !this.isMoving) {
      this.signal[1](undefined);
      this.model.session.sendFrame(followFrame(undefined));
    }
  }

  /** What is done meanwhile is nobody's wish to go their own way. */
  showWhile(move: () => void): void {
    const before = this.isMoving;
    this.isMoving = true;
    move();
    this.isMoving = before;
  }

  /** The room learns with every connection that this page can follow and be followed. */
  connected(isConnected: boolean): void {
    if (isConnected && !this.isConnected) {
      this.model.session.sendFrame(followFrame(this.signal[0]()));
    }
    this.isConnected = isConnected;
    this.isFollowed &&= isConnected;
  }

  heard(bytes: Uint8Array): void {
    const frame = readFollowFrame(bytes);
    if (frame.type === "followed") {
      this.isFollowed = frame.isFollowed;
      this.scrolled();
    } else if (frame.session === this.signal[0]() && this.showSheet(frame.sheet)) {
      this.model.grid?.scrollToCell(frame.cell);
      this.revealNear(frame.cell);
    }
  }

  /** Less room here than there, if only for the bar that says who is followed, must not hide the cell that they are in. */
  private revealNear(corner: Cell): void {
    const { grid } = this.model;
    const selection = this.person()?.selection;
    if (!grid || !selection) {
      return;
    }
    const cell = { row: selection.top, column: selection.left };
    const [down, right] = [cell.row - corner.row, cell.column - corner.column];
    if (down >= 0 && right >= 0 && down <= grid.pageRows + NEAR && right <= grid.pageColumns + NEAR) {
      grid.reveal(cell);
    }
  }

  /** Something else is in sight here than before. */
  scrolled(): void {
    if (!this.isFollowed || this.timer !== 0) {
      return;
    }
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      const sheet = this.model.sheet();
      if (this.model.grid && sheet !== undefined) {
        const { top, left } = this.model.grid.view.visible;
        this.model.session.sendFrame(scrolledFrame(sheet, { row: top, column: left }));
      }
    }, SCROLLED_MS);
  }

  /** Somebody has moved, come or gone. */
  goAlong(): void {
    const { model } = this;
    const person = this.person();
    if (this.signal[0]() !== undefined && !person) {
      this.stop();
      model.toast(t("The person you followed has left."), false, { icon: "info" });
    } else if (person?.selection && person.sheet !== null) {
      const { top, left } = person.selection;
      const place = `${person.sheet} ${top} ${left}`;
      if (place !== this.seen && this.showSheet(person.sheet)) {
        this.seen = place;
        model.grid?.reveal({ row: top, column: left });
      }
    }
  }

  /** Whether there is such a sheet. */
  private showSheet(sheet: number): boolean {
    const { model } = this;
    if (!model.sheets().some(({ id }) => id === sheet)) {
      return false;
    }
    if (sheet !== model.sheet()) {
      this.showWhile(() => {
        model.cellEdit.commit();
        model.showSheet(sheet);
      });
    }
    return true;
  }
}
