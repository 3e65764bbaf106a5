/**
 * Following a person: sheet, selection and scroll position follow theirs until the user selects or
 * scrolls.
 *
 * Selections arrive as presence. Scroll positions are sent only to followers, on request.
 */

import type { Cell } from "@quadrille/grid";
import type { Person } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { followFrame, readFollowFrame, scrolledFrame } from "./follow-frames.ts";

/** Minimum time between two scroll positions sent (P25). */
const SCROLL_INTERVAL_MS = 150;

/** Rows and columns by which the other window may be larger. */
const WINDOW_TOLERANCE = 4;

/** State of following and of being followed. */
export class Following {
  private readonly model: WorkbookModel;
  /** Session of the followed person. */
  private readonly signal = createSignal<string>();
  private isConnected = false;
  /** Somebody follows this person. */
  private isFollowed = false;
  private timer = 0;
  /** Sheet and cell of the last move that was followed. */
  private followedPosition = "";
  private isMoving = false;

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  /** Stops following when the user scrolls. */
  attach(element: HTMLElement, signal: AbortSignal): void {
    for (const type of ["wheel", "touchmove"] as const) {
      element.addEventListener(type, () => this.stop(), { passive: true, signal });
    }
  }

  dispose(): void {
    window.clearTimeout(this.timer);
  }

  /** The followed person. */
  person(): Person | undefined {
    const session = this.signal[0]();
    return this.model.people().find((person) => person.session === session);
  }

  /** Starts to follow a person. */
  start(session: string): void {
    this.signal[1](session);
    this.followedPosition = "";
    this.model.session.sendFrame(followFrame(session));
    this.followPerson();
  }

  /** Stops following. */
  stop(): void {
    if (this.signal[0]() !== undefined && !this.isMoving) {
      this.signal[1](undefined);
      this.model.session.sendFrame(followFrame(undefined));
    }
  }

  /** Runs a move that does not stop following. */
  moveWithoutStopping(move: () => void): void {
    const before = this.isMoving;
    this.isMoving = true;
    move();
    this.isMoving = before;
  }

  /** Sends the follow request after a new connection. */
  connected(isConnected: boolean): void {
    if (isConnected && !this.isConnected) {
      this.model.session.sendFrame(followFrame(this.signal[0]()));
    }
    this.isConnected = isConnected;
    this.isFollowed &&= isConnected;
  }

  /** Handles a follow frame. */
  receive(bytes: Uint8Array): void {
    const frame = readFollowFrame(bytes);
    if (frame.type === "followed") {
      this.isFollowed = frame.isFollowed;
      this.scrolled();
    } else if (frame.session === this.signal[0]() && this.showSheet(frame.sheet)) {
      this.model.grid?.scrollToCell(frame.cell);
      this.revealNear(frame.cell);
    }
  }

  /** Reveals the cell of the person if this window is smaller than theirs. */
  private revealNear(corner: Cell): void {
    const { grid } = this.model;
    const selection = this.person()?.selection;
    if (!grid || !selection) {
      return;
    }
    const cell = { row: selection.top, column: selection.left };
    const [down, right] = [cell.row - corner.row, cell.column - corner.column];
    if (down >= 0 && right >= 0 && down <= grid.pageRows + WINDOW_TOLERANCE && right <= grid.pageColumns + WINDOW_TOLERANCE) {
      grid.reveal(cell);
    }
  }

  /** Sends the scroll position to followers, with a delay. */
  scrolled(): void {
    if (!this.isFollowed || this.timer !== 0) {
      return;
    }
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      const sheet = this.model.sheet();
      if (this.model.grid && sheet !== undefined) {
        this.model.session.sendFrame(scrolledFrame(sheet, this.model.grid.topLeft));
      }
    }, SCROLL_INTERVAL_MS);
  }

  /** Follows a move of the person, or ends when they have left. */
  followPerson(): void {
    const { model } = this;
    const person = this.person();
    if (this.signal[0]() !== undefined && !person) {
      this.stop();
      model.toast(t("The person you followed has left."), false, { icon: "info" });
    } else if (person?.selection && person.sheet !== null) {
      const { top, left } = person.selection;
      const position = `${person.sheet} ${top} ${left}`;
      if (position !== this.followedPosition && this.showSheet(person.sheet)) {
        this.followedPosition = position;
        model.grid?.reveal({ row: top, column: left });
      }
    }
  }

  /** Shows a sheet. Returns whether it exists. */
  private showSheet(sheet: number): boolean {
    const { model } = this;
    if (!model.sheets().some(({ id }) => id === sheet)) {
      return false;
    }
    if (sheet !== model.sheet()) {
      this.moveWithoutStopping(() => {
        model.cellEdit.commit();
        model.showSheet(sheet);
      });
    }
    return true;
  }
}
