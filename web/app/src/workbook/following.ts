/** Following somebody: the sheet on screen and its place go where they go, until one selects something oneself. */

import type { Person } from "@quadrille/protocol";
import { createSignal } from "solid-js";
import { t } from "../language/language.ts";
import type { WorkbookModel } from "./model.ts";

export class Following {
  private readonly model: WorkbookModel;
  /** The session of whoever is followed. */
  private readonly signal = createSignal<string>();

  constructor(model: WorkbookModel) {
    this.model = model;
  }

  person(): Person | undefined {
    const session = this.signal[0]();
    return this.model.people().find((person) => person.session === session);
  }

  start(session: string): void {
    this.signal[1](session);
    this.goAlong();
  }

  stop(): void {
    this.signal[1](undefined);
  }

  /** Somebody has moved, come or gone. */
  goAlong(): void {
    const { model } = this;
    const person = this.person();
    if (this.signal[0]() !== undefined && !person) {
      this.stop();
      model.toast(t("Whom you followed is no longer here."), false);
    } else if (person?.selection && person.sheet !== null && model.sheets().some(({ id }) => id === person.sheet)) {
      if (person.sheet !== model.sheet()) {
        model.typing.commit();
        model.showSheet(person.sheet);
      }
      const { top, left } = person.selection;
      model.grid?.reveal({ row: top, column: left });
    }
  }
}
