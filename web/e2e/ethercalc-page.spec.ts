/** EtherCalc's own page beside ours, in one room. */

import type { Page } from "@playwright/test";

import { type EtherCalcPage, isInstalled, serveEtherCalcPage } from "./ethercalc-page.ts";
import { expect, test } from "./user.ts";

test.skip(!isInstalled, "run `npm ci --ignore-scripts` in bench/peers/ethercalc for EtherCalc's page");

/** Opens a room in EtherCalc's page and waits for its sheet. */
async function open(page: Page, proxy: EtherCalcPage, room: string): Promise<void> {
  await page.goto(`${proxy.url}/${room}`);
  await page.waitForFunction("window.SocialCalc && SocialCalc.hadSnapshot && window.spreadsheet && !document.querySelector('#tableeditor .loader')");
}

/** Carries out commands as the menus of EtherCalc's page do. */
async function execute(page: Page, commands: string): Promise<void> {
  await page.evaluate(`spreadsheet.ExecuteCommand(${JSON.stringify(commands)}, "")`);
}

/** Expects the value or text of a cell in EtherCalc's page. */
async function sees(page: Page, cell: string, value: string | number | undefined): Promise<void> {
  await expect.poll(() => page.evaluate(`spreadsheet.sheet.cells[${JSON.stringify(cell)}]?.datavalue || undefined`), `${cell} in EtherCalc's page`).toBe(value);
}

test("EtherCalc's page and ours show the same, also after an undo and a dropped connection", async ({ world, browser }) => {
  const proxy = await serveEtherCalcPage(world.server.url);
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const ann = await world.enter("plan");
  await ann.type("A1", [["3", "=A1*2"]]);
  await ann.saved();
  await open(page, proxy, "plan");
  await sees(page, "B1", 6);
  await execute(page, "set C1 formula A1+1");
  await ann.seesInCell("C1", "4");
  await ann.type("D1", [["hello"]]);
  await sees(page, "D1", "hello");
  // The page has seen what Ann typed, so that its own row does not cost it what it can undo.
  await execute(page, "insertrow A1");
  await ann.seesInCell("A2", "3");
  await execute(page, "undo");
  await ann.seesInCell("A1", "3");
  // The page asks for the log when it has connected again, and ignores it.
  proxy.drop();
  await world.server.kill();
  await world.server.run();
  await ann.type("G1", [["77"]]);
  await sees(page, "G1", 77);
  await execute(page, "set G2 value n 78");
  await ann.seesInCell("G2", "78");
  await context.close();
  await proxy.stop();
});
