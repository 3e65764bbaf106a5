/** Loading a workbook: from navigation to the first cells, and to the loaded engine. */

import type { Page, Route } from "@playwright/test";
import { command } from "./commands.ts";
import { skipInFirefox } from "./skip.ts";
import { expect, test, type World } from "./user.ts";

const ROWS = 3_000;

/** Why parts of the page cannot be retried there. */
const KEPT_FAILURES = "Firefox requests no module again that it could not load, until the page is loaded again.";

/** Opens a room whose engine is delayed until `release` is called. */
async function opening(world: World, role: "edit" | "view" = "edit"): Promise<{ readonly page: Page; readonly release: () => Promise<void> }> {
  const csv = Array.from({ length: ROWS }, (_, row) => `item ${row + 1},${row + 1},=B${row + 1}*2`).join("\n");
  await fetch(`${world.server.url}/api/v1/rooms/large`, { method: "PUT", headers: { "content-type": "text/csv" }, body: csv });
  if (role !== "edit") {
    await world.server.change("--default-role", role);
  }
  const context = await world.browser.newContext();
  const page = await context.newPage();
  const heldRoutes: Route[] = [];
  let isHeld = true;
  await page.route(/\.wasm/, async (route) => {
    if (isHeld) {
      heldRoutes.push(route);
    } else {
      await route.continue();
    }
  });
  await page.goto(`${world.server.url}/large`);
  const release = async (): Promise<void> => {
    isHeld = false;
    await Promise.all(heldRoutes.map((route) => route.continue()));
  };
  return { page, release };
}

const cell = (page: Page, name: string) => page.locator(`[role=gridcell][data-cell="${name}"]`);

test("cells are shown before the engine is loaded and editable afterwards", async ({ world }) => {
  const { page, release } = await opening(world);
  await expect(cell(page, "A2")).toHaveText("item 2");
  await expect(cell(page, "C20")).toHaveText("40");
  await expect(page.locator(".save-state")).toHaveText("Opening the workbook…");
  // The toolbars are visible, and disabled commands give the reason.
  const box = page.getByRole("textbox", { name: /^Name box/ });
  await box.fill("A2900");
  await box.press("Enter");
  await expect(cell(page, "A2900"), "more of it is asked of the server").toHaveText("item 2900");
  await expect(page.locator(".cell-field")).toBeFocused();
  await expect(page.getByRole("button", { name: "Bold" })).toBeDisabled();
  await page.keyboard.press("F2");
  await expect(page.getByText("The workbook is still opening. You can edit it in a moment.")).toBeVisible();
  await expect(cell(page, "A2900")).toHaveText("item 2900");
  await release();
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await expect(page.getByRole("button", { name: "Bold" })).toBeEnabled();
  await expect(box, "the place is the same").toHaveValue("A2900");
  await expect(cell(page, "A2900")).toHaveText("item 2900");
  await page.locator(".cell-field").focus();
  await page.keyboard.type("changed");
  await page.keyboard.press("Enter");
  await expect(cell(page, "A2900")).toHaveText("changed");
  await page.context().close();
});

test("text typed while the workbook opens is entered when it can be edited", async ({ world }) => {
  const { page, release } = await opening(world);
  const box = page.getByRole("textbox", { name: /^Name box/ });
  await box.fill("A3");
  await box.press("Enter");
  await page.keyboard.type("early");
  await page.keyboard.press("Enter");
  await page.keyboard.type("too");
  await page.keyboard.press("Enter");
  await expect(cell(page, "A3"), "not before").toHaveText("item 3");
  await release();
  await expect(cell(page, "A3")).toHaveText("early");
  await expect(cell(page, "A4")).toHaveText("too");
  await expect(box).toHaveValue("A5");
  await page.context().close();
});

test("text typed while the workbook opens is dropped when it cannot be edited", async ({ world }) => {
  const { page, release } = await opening(world, "view");
  const box = page.getByRole("textbox", { name: /^Name box/ });
  await box.fill("A3");
  await box.press("Enter");
  await page.keyboard.type("early");
  await page.keyboard.press("Enter");
  await release();
  await expect(page.getByText("You can view this workbook but not edit it.").first()).toBeVisible();
  await expect(cell(page, "A3")).toHaveText("item 3");
  await page.context().close();
});

test("opening a new room causes no failed request", async ({ world }) => {
  const context = await world.browser.newContext({ serviceWorkers: "allow" });
  const page = await context.newPage();
  const failed: string[] = [];
  page.on("response", (response) => {
    if (response.status() >= 400) {
      failed.push(`${response.status()} ${response.url()}`);
    }
  });
  page.on("console", (message) => {
    // WebKitGTK has no apps, and does not know this directive.
    if (message.type() === "error" && !message.text().includes("directive 'manifest-src'")) {
      failed.push(message.text());
    }
  });
  await page.goto(`${world.server.url}/brand-new`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await expect(cell(page, "A1")).toHaveText("");
  // After the preview, which is requested before the scripts have loaded.
  await page.waitForLoadState("networkidle");
  expect(failed).toEqual([]);
  await context.close();
});

test("code that editing does not need is loaded later, and the rest in few files", async ({ world }) => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${world.server.url}/few-files`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const loaded = (): Promise<{ before: string[]; after: string[] }> =>
    page.evaluate(() => {
      const editableAt = performance.getEntriesByName("quadrille: editable")[0]?.startTime ?? Number.NaN;
      const parts = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/assets/"));
      // File names contain the chunk name and a hash.
      const stem = ({ name }: PerformanceEntry): string => name.replace(/.*\/assets\/(.*)-.{8}\.(\w+)$/, "$1.$2");
      const before = parts.filter(({ startTime }) => startTime <= editableAt).map(stem);
      return { before: before.sort(), after: parts.map(stem).filter((name) => !before.includes(name)) };
    });
  const afterwards = ["overlays.js", "later.js", "later.css", "external-tables.js", "LaterButtons.js"];
  await expect.poll(async () => (await loaded()).after).toEqual(expect.arrayContaining(afterwards));
  const stages = ["PreviewSheet.js", "WorkbookPage.js", "index.css", "index.js", "preview.css", "preview.js", "workbook.js"];
  expect((await loaded()).before).toEqual([...stages, "quadrille.wasm", "worker.js"].sort());
  await context.close();
});

test("keys and dialogs whose code is still being loaded wait for it", async ({ world }) => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  const held: Route[] = [];
  let isHeld = true;
  await page.route(/\/later-/, (route) => (isHeld ? void held.push(route) : route.continue()));
  await page.goto(`${world.server.url}/early`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await page.locator(".cell-field:focus").waitFor();
  await page.keyboard.type("7");
  await page.keyboard.press("Enter");
  await expect(cell(page, "A1")).toHaveText("7");
  await page.keyboard.press("Control+d");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.type("next");
  await page.keyboard.press("Enter");
  // Without keys, as by dictation.
  await page.keyboard.insertText("spoken");
  await page.keyboard.press("Enter");
  await page.keyboard.press("F1");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  isHeld = false;
  await Promise.all(held.map((route) => route.continue()));
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(cell(page, "A2"), "filled from above").toHaveText("7");
  await expect(cell(page, "A3"), "typed afterwards").toHaveText("next");
  await expect(cell(page, "A4"), "spoken afterwards").toHaveText("spoken");
  await context.close();
});

test("without the code that is loaded later, cells can be edited, and dialogs can be retried", async ({ world, browserName }) => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.route(/\/later-/, (route) => route.abort());
  await page.goto(`${world.server.url}/without`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await page.locator(".cell-field:focus").waitFor();
  await page.keyboard.type("typed");
  await page.keyboard.press("Enter");
  await expect(cell(page, "A1")).toHaveText("typed");
  await page.keyboard.press("F1");
  const missing = page.getByRole("dialog", { name: "This part of the page could not be loaded" });
  await expect(missing).toBeVisible();
  await page.unrouteAll();
  await missing.getByRole("button", { name: "Try again" }).click();
  if (browserName === "firefox") {
    // The second attempt loads the page again.
    await Promise.all([page.waitForEvent("load"), missing.getByRole("button", { name: "Try again" }).click()]);
    await expect(cell(page, "A1")).toHaveText("typed");
    await page.locator(".cell-field:focus").waitFor();
    await page.keyboard.press("F1");
  }
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await context.close();
});

test("a panel or dialog that fails to load shows an error and can be retried", async ({ world }) => {
  skipInFirefox(KEPT_FAILURES);
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.route(/HistoryPanel|SortDialog/, (route) => route.abort());
  await page.goto(`${world.server.url}/parts`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const choose = async (menu: string, entry: string): Promise<void> => {
    await page.getByRole("button", { name: menu, exact: true }).click();
    await page.getByRole("menuitem", { name: entry }).click();
  };
  await choose("File", "History");
  const panel = page.getByRole("complementary", { name: "History" });
  await expect(panel.getByRole("alert")).toContainText("This part of the page could not be loaded");
  await choose("Data", "Sort…");
  const missing = page.getByRole("dialog", { name: "This part of the page could not be loaded" });
  const again = missing.getByRole("button", { name: "Try again" });
  const pressed = await again.elementHandle();
  await again.click();
  // Another panel was opened instead: the attempt ends.
  await expect.poll(() => pressed?.evaluate(({ isConnected }) => isConnected)).toBe(false);
  await expect(missing.getByRole("button", { name: "Try again" }), "it is still not there").toBeFocused();
  await page.keyboard.press("Escape");
  await expect(missing).toHaveCount(0);
  await page.locator(".cell-field:focus").waitFor();
  await page.unrouteAll();
  await panel.getByRole("button", { name: "Try again" }).click();
  await expect(panel.getByText("No changes yet.")).toBeVisible();
  await expect(panel.getByRole("group", { name: "Show history of" }), "with its style").toHaveCSS("display", "flex");
  await choose("Data", "Sort…");
  await expect(page.getByRole("dialog", { name: "Sort" })).toBeVisible();
  await context.close();
});

test("a chat panel that fails to load can be retried", async ({ world }) => {
  skipInFirefox(KEPT_FAILURES);
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.route(/LaterButtons/, (route) => route.abort());
  await page.goto(`${world.server.url}/chat-missing`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const chat = page.getByRole("button", { name: "Chat" });
  await expect(chat).toHaveAccessibleDescription(/could not be loaded/);
  const missing = page.getByText("This part of the page could not be loaded. Check the connection, then reload the page.");
  await expect(missing, "nobody has asked for it").toHaveCount(0);
  await chat.click();
  await expect(missing).toBeVisible();
  await page.getByRole("button", { name: "Dismiss" }).click();
  // The rest of the page works without it.
  await page.locator(".cell-field").focus();
  await page.keyboard.type("typed");
  await page.keyboard.press("Enter");
  await expect(cell(page, "A1")).toHaveText("typed");
  await page.unrouteAll();
  await chat.click();
  await expect(chat).not.toHaveAccessibleDescription(/could not be loaded/);
  await chat.click();
  await expect(page.getByRole("complementary", { name: "Chat" })).toBeVisible();
  await context.close();
});

test("a chart whose code fails to load shows an error and can be retried", async ({ world }) => {
  skipInFirefox(KEPT_FAILURES);
  const ann = await world.enter("frames");
  await ann.type("A1", [["1"], ["2"]]);
  await command(ann.page, { type: "setItem", sheet: 1, kind: "chart", anchors: ["C2"], fields: { type: "column", title: "Prices", series: [{ values: "=Sheet1!$A$1:$A$2" }] } });
  const picture = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
  await command(ann.page, { type: "setItem", sheet: 1, kind: "image", anchors: ["C20"], fields: { source: picture, altText: "A dot" } });
  await ann.saved();
  const context = await world.browser.newContext();
  const page = await context.newPage();
  for (const [parts, count] of [[/ChartFrame|ImageFrame/, 2], [/\/echarts-/, 1]] as const) {
    await page.route(parts, (route) => route.abort());
    await page.goto(`${world.server.url}/frames`);
    const missing = page.getByRole("main", { name: "Sheet" }).getByRole("alert");
    await expect(missing).toHaveCount(count);
    await expect(missing.first()).toContainText("This part of the page could not be loaded");
    await expect(page.getByRole("status", { name: "Save status" }), "the rest of the page is there").toHaveText("Saved");
    await page.unrouteAll();
    for (let left = count - 1; left >= 0; left -= 1) {
      await missing.first().getByRole("button", { name: "Try again" }).click();
      await expect(missing).toHaveCount(left);
    }
    await expect(page.getByRole("figure", { name: "Chart: Prices" }).getByRole("img")).toBeVisible();
    await expect(page.getByRole("figure", { name: "Image: A dot" })).toBeVisible();
  }
  await context.close();
});

test("commands are disabled with the reason while no workbook is open", async ({ world }) => {
  const { server } = world;
  await fetch(`${server.url}/api/v1/rooms/broken`, { method: "PUT", headers: { "content-type": "text/csv" }, body: "North slope,612" });
  await server.damage("North slope");
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/broken`);
  await expect(page.getByRole("heading", { name: "The server cannot open this workbook" })).toBeVisible();
  for (const name of ["Share", "Comments", "Zoom in", "Zoom out"]) {
    await expect(page.getByRole("button", { name, exact: true })).toBeDisabled();
    await expect(page.getByRole("button", { name, exact: true })).toHaveAttribute("title", /The server cannot open this workbook/);
  }
  await expect(page.getByRole("combobox", { name: "Zoom" })).toBeDisabled();
  await page.getByRole("button", { name: "Share" }).click({ force: true });
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await context.close();
  // The address is correct while the workbook is loading.
  const { page: soon, release } = await opening(world);
  await expect(cell(soon, "A2")).toHaveText("item 2");
  await expect(soon.getByRole("button", { name: "Share" })).toBeEnabled();
  await expect(soon.getByRole("button", { name: "Zoom in" })).toBeEnabled();
  await expect(soon.getByRole("button", { name: "Comments" })).toBeDisabled();
  await release();
  await expect(soon.getByRole("button", { name: "Comments" })).toBeEnabled();
  await soon.context().close();
});

test("a menu that fails to load shows an error and can be retried", async ({ world }) => {
  skipInFirefox(KEPT_FAILURES);
  const context = await world.browser.newContext();
  const page = await context.newPage();
  await page.route(/\/overlays-/, (route) => route.abort());
  await page.goto(`${world.server.url}/menus`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  await page.waitForLoadState("networkidle");
  const missing = page.getByText("This part of the page could not be loaded. Check the connection, then reload the page.");
  await expect(missing, "nobody has asked for it").toHaveCount(0);
  const file = page.getByRole("button", { name: "File", exact: true });
  const people = page.getByRole("button", { name: /(person|people) here/ });
  const rightClick = () => page.getByRole("main", { name: "Sheet" }).click({ button: "right", position: { x: 90, y: 60 } });
  // A second failure is reported like the first.
  for (const attempt of [() => file.click(), () => people.click(), rightClick, rightClick]) {
    await attempt();
    await expect(missing).toBeVisible();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect(missing).toHaveCount(0);
  }
  await page.unrouteAll();
  await rightClick();
  await expect(page.getByRole("menu").getByRole("menuitem").first()).toBeVisible();
  await page.keyboard.press("Escape");
  await people.click();
  await expect(page.getByRole("dialog", { name: "People here" })).toBeVisible();
  await page.keyboard.press("Escape");
  await file.click();
  await expect(page.getByRole("menuitem", { name: "History" })).toBeVisible();
  await context.close();
});

test("a new room opens as an empty sheet", async ({ world }) => {
  const ann = await world.enter("never-written-to");
  await ann.seesInCell("A1", "");
  await ann.type("A1", [["first"]]);
  await ann.seesInCell("A1", "first");
});

test("the dialog of a deleted workbook leads to the start page", async ({ world }) => {
  const ann = await world.enter("soon-deleted");
  await ann.type("A1", [["first"]]);
  await ann.saved();
  // Ann's browser owns the workbook.
  await ann.page.evaluate(() => {
    const keys = JSON.parse(localStorage.getItem("quadrille.keys") ?? "{}") as Record<string, string>;
    return fetch("/api/v1/rooms/soon-deleted", { method: "DELETE", headers: { authorization: `Bearer ${keys["soon-deleted"]}` } });
  });
  const dialog = ann.page.getByRole("dialog", { name: "The server closed this workbook" });
  await expect(dialog).toContainText("The workbook was deleted.");
  await expect(dialog.getByRole("button").or(dialog.getByRole("link"))).toHaveText(["Try again", "Start page"]);
  await expect(dialog.getByRole("link", { name: "Start page" })).toBeFocused();
});
