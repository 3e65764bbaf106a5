/** The start page. */

import { type State } from "../state.ts";

export const start: readonly State[] = [
  {
    name: "start-empty",
    skipsReset: true,
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
];
