/** What the workbook is called: a setting of it, the same for everybody. Where nobody has said, the room's name stands in. */

import { createSignal } from "solid-js";
import { t, withoutIsolates } from "../language/index.ts";
import { cleanTitle, lastKnownTitle, roomTitle } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** The identity of settings among items. */
const SETTINGS = 0;

export class Title {
  private readonly model: WorkbookModel;
  private readonly signal;
  /** What somebody has said; until the engine is there, what it was the last time. */
  readonly given: () => string | undefined;

  constructor(model: WorkbookModel, room: string) {
    this.model = model;
    this.signal = createSignal(lastKnownTitle(room));
    this.given = this.signal[0];
  }

  shown(): string {
    return this.given() ?? roomTitle(this.model.room);
  }

  /** What a copy is called at first. */
  ofCopy(): string {
    return withoutIsolates(t("Copy of {name}", { name: this.shown() }));
  }

  /** The server knew it before the engine. */
  update(title: string | undefined): void {
    this.signal[1](title);
  }

  /** The workbook's settings may have changed. */
  async changed(): Promise<void> {
    const items = await this.model.session.query({ type: "items", sheet: null });
    const title = items.find(({ kind }) => kind === "workbookSettings")?.fields["title"];
    this.signal[1](typeof title === "string" && title.trim() !== "" ? title : undefined);
  }

  /** Nothing typed: the room's name again. */
  rename(typed: string): void {
    const title = cleanTitle(typed);
    if (title === this.given() || !this.model.checkCanEdit()) {
      return;
    }
    this.signal[1](title);
    this.model.command({ type: "setItem", sheet: null, item: SETTINGS, fields: { title: title ?? null } });
  }

  /** The field at the top of the page, with everything in it selected. */
  edit(): void {
    queueMicrotask(() => document.querySelector<HTMLInputElement>(".title-field")?.focus());
  }
}

