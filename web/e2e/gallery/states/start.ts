/** The start page. */

import { changeAccess, createOwned } from "../access.ts";
import type { GalleryPage } from "../gallery-page.ts";
import { type State } from "../state.ts";

export const start: readonly State[] = [
  {
    name: "start-empty",
    skipsReset: true,
    // The list is removed whenever a page is opened in this tab.
    changesTab: true,
    show: async ({ page, server }) => {
      await page.addInitScript(() => localStorage.removeItem("quadrille.recent"));
      await page.goto(server.url);
      await page.locator(".start-empty").waitFor();
    },
  },
  {
    name: "start-recent",
    show: async ({ page, server }) => {
      await page.evaluate(() => {
        const minute = 60_000;
        const rooms = [
          ["harvest-2026", 2],
          ["budget-2027-k3m9pqrs7tuvwxyz2345abcd", 90],
          ["the-very-long-name-of-a-workbook-that-was-imported-once-k3m9pqrs7tuvwxyz2345abcd", 3 * 24 * 60],
          ["k3m9pqrs7tuvwxyz2345abcdef", 40 * 24 * 60],
        ] as const;
        const recent = rooms.map(([room, ago]) => ({ room, visitedAtMs: Date.now() - ago * minute }));
        localStorage.setItem("quadrille.recent", JSON.stringify(recent));
      });
      await page.goto(server.url);
      await page.locator(".start-recent li").first().waitFor();
    },
  },
  {
    name: "start-mine",
    show: async (gallery) => {
      await ownWorkbooks(gallery);
      await gallery.page.getByRole("tab").nth(1).click();
      await gallery.page.locator(".start-recent li").nth(1).waitFor();
    },
  },
  {
    name: "start-trash",
    show: async (gallery) => {
      await ownWorkbooks(gallery, true);
      await gallery.page.getByRole("tab").nth(3).click();
      await gallery.page.locator(".start-recent li").nth(1).waitFor();
      await gallery.page.locator(".start-recent li .tool").last().click();
    },
  },
  {
    name: "start-shared-none",
    show: async ({ page, server }) => {
      await page.goto(server.url);
      await page.getByRole("tab").nth(2).click();
      await page.locator(".start-empty").waitFor();
    },
  },
];

/** Opens the start page in a browser that owns two workbooks. */
async function ownWorkbooks(gallery: GalleryPage, inTrash = false): Promise<void> {
  const { page, server } = gallery;
  const keys: Record<string, string> = {};
  for (const title of ["Harvest 2027", "The very long title of a workbook that somebody imported once and never renamed"]) {
    const { room, key } = await createOwned(server, title);
    keys[room] = key;
    if (inTrash) {
      await changeAccess(server, room, key, "POST", "/trash");
    }
  }
  await page.evaluate((stored) => localStorage.setItem("quadrille.keys", JSON.stringify(stored)), keys);
  await page.goto(server.url);
}
