/** Loading and error states. */

import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

const ORCHARD = "Orchard,Fruit,Crates\nNorth slope,Apple,612\nRiver bank,Pear,301\n";

/** A room on a separate server that grants the role `view`. */
async function openViewOnly(gallery: GalleryPage): Promise<void> {
  const server = await gallery.ownServer();
  await gallery.put("orchard", ORCHARD, server);
  await server.change("--default-role", "view");
  await gallery.page.goto(`${server.url}/orchard`);
  await gallery.page.locator(".save-state").getByText(gallery.translate("Read only"), { exact: true }).waitFor();
}

export const errors: readonly State[] = [
  {
    name: "opening",
    skipsReset: true,
    show: async ({ page, server }) => {
      // The engine never arrives.
      await page.route(/\.wasm/, () => undefined);
      await page.goto(`${server.url}/not-open-yet`);
      await page.locator(".opening").waitFor();
    },
  },
  {
    name: "opening-large",
    skipsReset: true,
    show: async (gallery) => {
      const csv = Array.from({ length: 3_000 }, (_, row) => `item ${row + 1},${row + 1},=B${row + 1}*2`).join("\n");
      const room = `large-${gallery.translations.language}-${Date.now()}`;
      await gallery.put(room, csv);
      // The preview is shown; the engine never arrives.
      await gallery.page.route(/\.wasm/, () => undefined);
      await gallery.page.goto(`${gallery.server.url}/${room}`);
      await gallery.page.locator('[role=gridcell][data-cell="A2"]').waitFor({ state: "attached" });
    },
  },
  {
    name: "no-room",
    skipsReset: true,
    show: async (gallery) => {
      const server = await gallery.ownServer("--sessions-per-room-max", "1");
      await gallery.put("orchard", ORCHARD, server);
      await gallery.meet({ name: "Ada", color: 0x9b2c6f, cells: "B1" }, "orchard", server);
      await gallery.page.goto(`${server.url}/orchard`);
      await gallery.page.locator(".save-state .is-warning").waitFor();
    },
  },
  {
    name: "damaged",
    skipsReset: true,
    show: async (gallery) => {
      const server = await gallery.ownServer();
      await gallery.put("orchard", ORCHARD, server);
      await server.damage("North slope");
      await gallery.page.goto(`${server.url}/orchard`);
      await gallery.page.locator(".opening h2").waitFor();
    },
  },
  {
    name: "unreachable",
    skipsReset: true,
    show: async ({ page, context, server }) => {
      // The network fails after the page has loaded.
      await page.route(/\.wasm/, async (route) => {
        const response = await route.fetch();
        // Waits until the worker's script is loaded.
        const worker = page.workers()[0] ?? (await page.waitForEvent("worker"));
        await worker.evaluate(async () => {
          while (self.onmessage === null) {
            await new Promise((later) => setTimeout(later, 20));
          }
        });
        await context.setOffline(true);
        await route.fulfill({ response });
      });
      await page.goto(`${server.url}/nobody-there`);
      await page.locator(".opening h2").waitFor();
    },
  },
  {
    name: "stopped",
    skipsReset: true,
    show: async ({ page, server }) => {
      await page.route(/\.wasm/, (route) => route.abort());
      await page.goto(`${server.url}/without-engine`);
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "panel-missing",
    show: async (gallery) => {
      await gallery.page.route(/HistoryPanel/, (route) => route.abort());
      await gallery.choose("File", "History");
      await gallery.page.locator(".load-error").waitFor();
    },
  },
  {
    name: "dialog-missing",
    show: async (gallery) => {
      await gallery.page.route(/SortDialog/, (route) => route.abort());
      await gallery.choose("Data", "Sort…");
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "deleted",
    skipsReset: true,
    show: async (gallery) => {
      const room = await gallery.ownRoom("1,2");
      await fetch(`${gallery.server.url}/api/v1/rooms/${room}`, { method: "DELETE" });
      await gallery.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "offline",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await gallery.context.setOffline(true);
      await gallery.select("A1");
      await gallery.type("3");
      await gallery.press("Enter");
      await gallery.page.locator(".save-state .is-warning").waitFor();
    },
  },
  {
    name: "view-only",
    skipsReset: true,
    show: async (gallery) => {
      await openViewOnly(gallery);
      await gallery.select("B2");
      await gallery.type("x");
      await gallery.page.locator(".toast").waitFor();
    },
  },
  {
    name: "view-only-comments",
    skipsReset: true,
    show: async (gallery) => {
      await openViewOnly(gallery);
      await gallery.press("Control+Alt+m");
      await gallery.page.locator(".panel").waitFor();
    },
  },
  {
    name: "view-only-chat",
    skipsReset: true,
    show: async (gallery) => {
      await openViewOnly(gallery);
      await gallery.choose("View", "Chat");
      await gallery.page.locator(".panel").waitFor();
    },
  },
  {
    name: "embedded-edit",
    show: async ({ page, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=edit`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
    },
  },
  {
    name: "embedded-disconnected",
    show: async ({ page, context, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=edit`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
      await context.setOffline(true);
      await page.waitForTimeout(300);
    },
  },
  {
    name: "embedded-view",
    show: async ({ page, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=view`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
    },
  },
];
