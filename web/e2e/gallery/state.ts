/** One state of the page, and how it comes about. */

import type { Stage } from "./stage.ts";

export interface State {
  readonly name: string;
  readonly show: (stage: Stage) => Promise<void>;
  /** Brought about without the common room being opened first. */
  readonly isAlone?: boolean;
}

export const menu = (name: string, button: string): State => ({
  name,
  show: async (stage) => {
    await stage.select("E3");
    await stage.menu(button);
  },
});

export const dialog = (name: string, from: readonly [menu: string, item: string], cells = "E3"): State => ({
  name,
  show: async (stage) => {
    await stage.select(cells);
    await stage.dialog(...from);
    await stage.page.waitForTimeout(100);
  },
});

export const popover = (name: string, button: string): State => ({
  name,
  show: async (stage) => {
    await stage.button(button).click();
    await stage.page.locator(".popover").waitFor();
  },
});
