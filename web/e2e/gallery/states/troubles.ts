/** On the way into a workbook, and what can go wrong with it. */

import type { Stage } from "../stage.ts";
import type { State } from "../state.ts";

const ORCHARD = "Orchard,Fruit,Crates\nNorth slope,Apple,612\nRiver bank,Pear,301\n";

/** A room on a server of its own, which lets people look at it, and no more. */
async function lookAt(stage: Stage): Promise<void> {
  const server = await stage.ownServer();
  await stage.put("orchard", ORCHARD, server);
  await server.change("--default-role", "view");
  await stage.page.goto(`${server.url}/orchard`);
  await stage.page.locator(".save-state").getByText(stage.say("Read only"), { exact: true }).waitFor();
}

export const troubles: readonly State[] = [
  {
    name: "opening",
    isAlone: true,
    show: async ({ page, server }) => {
      // The engine never arrives.
      await page.route(/\.wasm/, () => undefined);
      await page.goto(`${server.url}/not-open-yet`);
      await page.locator(".opening").waitFor();
    },
  },
  {
    name: "opening-large",
    isAlone: true,
    show: async (stage) => {
      const csv = Array.from({ length: 3_000 }, (_, row) => `item ${row + 1},${row + 1},=B${row + 1}*2`).join("\n");
      const room = `large-${stage.words.language}-${Date.now()}`;
      await stage.put(room, csv);
      // Cells are there; the engine never arrives.
      await stage.page.route(/\.wasm/, () => undefined);
      await stage.page.goto(`${stage.server.url}/${room}`);
      await stage.page.locator('[role=gridcell][data-cell="A2"]').waitFor({ state: "attached" });
      await stage.page.locator(".cell-field").focus();
      await stage.type("x");
      await stage.page.locator(".toast").waitFor();
    },
  },
  {
    name: "no-room",
    isAlone: true,
    show: async (stage) => {
      const server = await stage.ownServer("--sessions-per-room-max", "1");
      await stage.put("orchard", ORCHARD, server);
      await stage.meet({ name: "Ada", color: 0x9b2c6f, cells: "B1" }, "orchard", server);
      await stage.page.goto(`${server.url}/orchard`);
      await stage.page.locator(".save-state .is-warning").waitFor();
    },
  },
  {
    name: "damaged",
    isAlone: true,
    show: async (stage) => {
      const server = await stage.ownServer();
      await stage.put("orchard", ORCHARD, server);
      await server.damage("North slope");
      await stage.page.goto(`${server.url}/orchard`);
      await stage.page.locator(".opening h2").waitFor();
    },
  },
  {
    name: "unreachable",
    isAlone: true,
    show: async ({ page, context, server }) => {
      // The page arrives, and then there is no network.
      await page.route(/\.wasm/, async (route) => {
        const response = await route.fetch();
        // The worker is there, and has all of its own script.
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
    isAlone: true,
    show: async ({ page, server }) => {
      await page.route(/\.wasm/, (route) => route.abort());
      await page.goto(`${server.url}/without-engine`);
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "panel-missing",
    show: async (stage) => {
      await stage.page.route(/HistoryPanel/, (route) => route.abort());
      await stage.choose("File", "History");
      await stage.page.locator(".part-missing").waitFor();
    },
  },
  {
    name: "dialog-missing",
    show: async (stage) => {
      await stage.page.route(/SortDialog/, (route) => route.abort());
      await stage.choose("Data", "Sort…");
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "deleted",
    show: async (stage) => {
      const room = await stage.ownRoom("1,2");
      await fetch(`${stage.server.url}/api/v1/rooms/${room}`, { method: "DELETE" });
      await stage.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "offline",
    show: async (stage) => {
      await stage.ownRoom("1,2");
      await stage.context.setOffline(true);
      await stage.select("A1");
      await stage.type("3");
      await stage.press("Enter");
      await stage.page.locator(".save-state .is-warning").waitFor();
    },
  },
  {
    name: "only-to-look-at",
    isAlone: true,
    show: async (stage) => {
      await lookAt(stage);
      await stage.select("B2");
      await stage.type("x");
      await stage.page.locator(".toast").waitFor();
    },
  },
  {
    name: "only-to-look-at-comments",
    isAlone: true,
    show: async (stage) => {
      await lookAt(stage);
      await stage.press("Control+Alt+m");
      await stage.page.locator(".panel").waitFor();
    },
  },
  {
    name: "only-to-look-at-chat",
    isAlone: true,
    show: async (stage) => {
      await lookAt(stage);
      await stage.choose("View", "Chat");
      await stage.page.locator(".panel").waitFor();
    },
  },
  {
    name: "embedded-to-edit",
    show: async ({ page, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=edit`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
    },
  },
  {
    name: "embedded-and-lost",
    show: async ({ page, context, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=edit`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
      await context.setOffline(true);
      await page.waitForTimeout(300);
    },
  },
  {
    name: "looking-only",
    show: async ({ page, server }) => {
      await page.goto(`${server.url}/harvest-2026?embed=view`);
      await page.locator(`[role=gridcell][data-cell="A1"]`).waitFor({ state: "attached" });
      await page.waitForTimeout(300);
    },
  },
];
