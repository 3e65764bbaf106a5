/**
 * The title of a workbook: a setting that everybody shares. Without a title, the name of the room
 * stands in.
 */

import { createSignal } from "solid-js";
import { t, withoutIsolates } from "../language/index.ts";
import { cleanTitle, lastKnownTitle, roomTitle } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Item identifier of the workbook settings. */
const SETTINGS = 0;

/** The title of one workbook. */
export class Title {
  private readonly model: WorkbookModel;
  private readonly signal;
  /** The title that was set; until the engine is loaded, the one of the last visit. */
  readonly given: () => string | undefined;

  constructor(model: WorkbookModel, room: string) {
    this.model = model;
    this.signal = createSignal(lastKnownTitle(room));
    this.given = this.signal[0];
  }

  /** The title, or the readable name of the room. */
  displayed(): string {
    return this.given() ?? roomTitle(this.model.room);
  }

  /** The suggested title of a copy. */
  ofCopy(): string {
    return withoutIsolates(t("Copy of {name}", { name: this.displayed() }));
  }

  /** Sets the title that the server sent before the engine was loaded. */
  setFromPreview(title: string | undefined): void {
    this.signal[1](title);
  }

  /** Reads the title again after a change of the settings. */
  async changed(): Promise<void> {
    const items = await this.model.session.query({ type: "items", sheet: null });
    const title = items.find(({ kind }) => kind === "workbookSettings")?.fields["title"];
    this.signal[1](typeof title === "string" && title.trim() !== "" ? title : undefined);
  }

  /** Sets the title; an empty text removes it. */
  rename(typed: string): void {
    const title = cleanTitle(typed);
    if (title === this.given() || !this.model.checkCanEdit()) {
      return;
    }
    this.signal[1](title);
    this.model.command({ type: "setItem", sheet: null, item: SETTINGS, fields: { title: title ?? null } });
  }

  /** Focuses the title field and selects its text. */
  edit(): void {
    queueMicrotask(() => document.querySelector<HTMLInputElement>(".title-field")?.focus());
  }
}
