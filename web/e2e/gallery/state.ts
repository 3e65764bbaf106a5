/** States of the gallery. */

import type { GalleryPage } from "./gallery-page.ts";

export interface State {
  readonly name: string;
  readonly show: (gallery: GalleryPage) => Promise<void>;
  /** The state opens a room or page itself, without the common room before it. */
  readonly skipsReset?: boolean;
  /** Escape closes what the state shows and leaves the common room as it was, so the next such state needs no new page. */
  readonly isOverlay?: boolean;
  /** The state changes its tab for good: the next state is shown in a new one. */
  readonly changesTab?: boolean;
}

export const menu = (name: string, button: string): State => ({
  name,
  isOverlay: true,
  show: async (gallery) => {
    await gallery.select("E3");
    await gallery.menu(button);
  },
});

export const dialog = (name: string, from: readonly [menu: string, item: string], cells = "E3"): State => ({
  name,
  isOverlay: true,
  show: async (gallery) => {
    await gallery.select(cells);
    await gallery.dialog(...from);
    await gallery.page.waitForTimeout(100);
  },
});

export const popover = (name: string, button: string): State => ({
  name,
  isOverlay: true,
  show: async (gallery) => {
    await gallery.button(button).click();
    await gallery.page.locator(".popover").waitFor();
  },
});
