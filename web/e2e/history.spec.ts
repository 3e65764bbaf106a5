import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("the history lists changes, shows a revision and restores it for everyone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["plan"], ["100"]]);
  await ann.saved();
  await bob.type("A2", [["250"]]);
  await ann.seesInCell("A2", "250");
  await ann.choose("File", "History");
  const panel = ann.page.getByRole("complementary", { name: "History" });
  const lines = panel.getByRole("listitem");
  await expect(lines).toHaveCount(2);
  await expect(lines.first()).toContainText("Edited Sheet1!A2");
  await expect(lines.last()).toContainText("Edited Sheet1!A2, Sheet1!A1");
  expect(await violations(ann.page)).toEqual([]);
  await lines.last().getByRole("button").first().click();
  const dialog = ann.page.getByRole("dialog", { name: /^Version from/ });
  await expect(dialog.getByRole("cell", { name: "plan" })).toBeVisible();
  await expect(dialog.getByRole("cell", { name: "100" })).toHaveAttribute("title", "Now: 250");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Restore this version" }).click();
  await bob.seesInCell("A2", "100");
  await expect(lines.first()).not.toContainText("Edited Sheet1!A2, Sheet1!A1");
});

test("a revision distinguishes changed contents from changed formats", async ({ world }) => {
  const ann = await world.enter("looks");
  await ann.type("A1", [["plan", "TRUE", "same"], ["14.5", "=1/0", "old"]]);
  await ann.saved();
  const put = async (range: string, cells: unknown): Promise<void> => {
    const answer = await fetch(`${world.server.url}/api/v1/rooms/looks/sheets/Sheet1/cells/${range}`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ cells }),
    });
    expect(answer.ok).toBe(true);
  };
  await put("A1:A2", [[{ format: { bold: true } }], [{ format: { numberFormat: "0.00" } }]]);
  await put("C2", [["new"]]);
  await ann.seesInCell("C2", "new");
  await ann.choose("File", "History");
  await expect(ann.page.getByRole("complementary", { name: "History" }).getByText("Changed the format of Sheet1!A1, Sheet1!A2")).toBeVisible();
  await ann.page.getByRole("complementary", { name: "History" }).getByRole("listitem").last().getByRole("button").first().click();
  const dialog = ann.page.getByRole("dialog", { name: /^Version from/ });
  const cell = (name: string) => dialog.getByRole("cell", { name, exact: true });
  await expect(cell("plan")).toHaveAttribute("title", "Format changed since");
  await expect(cell("14.5")).toHaveAttribute("title", "Format changed since: 14.50");
  await expect(cell("old")).toHaveAttribute("title", "Now: new");
  await expect(cell("same")).not.toHaveAttribute("title");
  for (const [name, side] of [["plan", "left"], ["14.5", "right"], ["TRUE", "center"], ["#DIV/0!", "center"]] as const) {
    await expect(cell(name), "as in the sheet").toHaveCSS("text-align", side === "left" ? /^(left|start)$/ : side);
  }
  expect(await violations(ann.page)).toEqual([]);
});

test("the edit history of a cell follows it through inserted rows", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["1"]]);
  await ann.type("B2", [["=1+1"]]);
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await ann.type("B3", [["three"]]);
  await ann.saved();
  await ann.select("B3");
  await ann.choose("File", "History");
  const panel = ann.page.getByRole("complementary", { name: "History" });
  await panel.getByRole("button", { name: "Cell B3" }).click();
  await expect(panel.getByText("Entered “\u2068three\u2069”", { exact: true })).toBeVisible();
  await expect(panel.getByText("Entered “\u2068=1+1\u2069”", { exact: true })).toBeVisible();
  await ann.select("D9");
  await expect(panel.getByText("This cell has no history.")).toBeVisible();
});

test("a failed history request is retried by button and after reconnecting", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["plan"]]);
  await ann.saved();
  await ann.choose("File", "History");
  const panel = ann.page.getByRole("complementary", { name: "History" });
  await panel.getByRole("button", { name: "Close" }).click();
  await ann.page.context().setOffline(true);
  await ann.status("Offline");
  await ann.choose("File", "History");
  await expect(panel.getByRole("alert")).toHaveText("The server cannot be reached");
  await panel.getByRole("button", { name: "Try again" }).click();
  await expect(panel.getByRole("alert")).toHaveText("The server cannot be reached");
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.context().setOffline(false);
  await expect(panel.getByRole("listitem")).toContainText(["Edited Sheet1!A1"]);
  await expect(panel.getByRole("alert")).toHaveCount(0);
});

test("versions are named, listed alone, renamed and unnamed, for everyone at once", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["draft"]]);
  await ann.saved();
  // The current version, by the menu.
  await ann.choose("File", "Name current version…");
  const dialog = ann.page.getByRole("dialog", { name: "Name current version" });
  await dialog.getByRole("textbox", { name: "Version name" }).fill("First draft");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Save name" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ann.page.getByText("The version is named “First draft”.")).toBeVisible();
  await ann.type("A1", [["final"]]);
  await ann.saved();
  // Others see the name, also while the panel is open, and Ctrl+Z does not remove it.
  await bob.choose("File", "History");
  const panel = bob.page.getByRole("complementary", { name: "History" });
  await expect(panel.getByRole("listitem").filter({ hasText: "First draft" })).toContainText("Edited Sheet1!A1");
  await panel.getByRole("checkbox", { name: "Only show named versions" }).check();
  const named = panel.getByRole("listitem");
  await expect(named).toHaveCount(1);
  await ann.press("Control+z");
  await ann.seesInCell("A1", "draft");
  await ann.press("Control+y");
  await ann.seesInCell("A1", "final");
  await expect(named).toContainText("First draft");
  expect(await violations(bob.page)).toEqual([]);
  // An older version, by its view.
  await ann.choose("File", "History");
  const annsPanel = ann.page.getByRole("complementary", { name: "History" });
  await annsPanel.getByRole("listitem").first().getByRole("button").first().click();
  const version = ann.page.getByRole("dialog", { name: /^Version from/ });
  await version.getByRole("textbox", { name: "Version name" }).fill("Sent to the printer");
  await version.getByRole("button", { name: "Save name" }).click();
  await expect(version.getByRole("button", { name: "Remove name" })).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await expect(named).toHaveCount(2);
  await expect(named.first()).toContainText("Sent to the printer");
  await version.getByRole("textbox", { name: "Version name" }).fill("Printed");
  await version.getByRole("button", { name: "Save name" }).click();
  await expect(named.first()).toContainText("Printed");
  await version.getByRole("button", { name: "Remove name" }).click();
  await expect(named).toHaveCount(1);
  await ann.press("Escape");
  // Bob restores the named version; the name stays.
  await named.getByRole("button").click();
  await bob.page.getByRole("dialog", { name: /^Version from/ }).getByRole("button", { name: "Restore this version" }).click();
  await ann.seesInCell("A1", "draft");
  await expect(named).toContainText("First draft");
});

test("two versions are compared beside each other, with rows where they are now", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Region", "Units"], ["North", "5"], ["South", "3"]]);
  await ann.saved();
  const bob = await world.enter();
  await bob.seesInCell("B3", "3");
  await bob.select("A2");
  await bob.press("Control+Alt+=");
  await bob.type("A2", [["West", "4"]]);
  await bob.type("B4", [["8"]]);
  await ann.seesInCell("B4", "8");
  await ann.choose("File", "History");
  const panel = ann.page.getByRole("complementary", { name: "History" });
  await expect(panel.getByRole("listitem")).toHaveCount(2);
  await panel.getByRole("button", { name: /^Actions for the changes/ }).first().click();
  await ann.page.getByRole("menuitem", { name: "Compare with the version before" }).click();
  const dialog = ann.page.getByRole("dialog", { name: "Compare versions" });
  const [earlier, later] = [dialog.getByRole("region", { name: /^Earlier version/ }), dialog.getByRole("region", { name: /^Later version/ })];
  await expect(dialog.getByRole("status")).toHaveText("3 cells differ");
  await expect(later.locator('[data-cell="A2"]')).toHaveText("West");
  await expect(later.locator('[data-cell="A2"]')).toHaveClass(/has-other-content/);
  // The rows below the new one are not different, and are at the same height.
  await expect(later.locator('[data-cell="A4"]')).not.toHaveClass(/has-other/);
  const top = async (pane: typeof earlier, cell: string) => (await pane.locator(`[data-cell="${cell}"]`).boundingBox())?.y ?? -1;
  expect(await top(earlier, "A3")).toBeCloseTo(await top(later, "A4"), 0);
  await dialog.getByRole("button", { name: "Previous difference" }).click();
  await expect(dialog.getByRole("status")).toHaveText("B3 → B4: “3” became “8”");
  await expect(later.locator('[data-cell="B4"]')).toHaveClass(/is-current/);
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("combobox", { name: /^Later version/ }).selectOption("Now");
  await expect(dialog.getByRole("status")).toHaveText("3 cells differ");
});

test("the changes of one person are undone among those of others", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["plan"], ["100"]]);
  await ann.saved();
  await bob.type("A1", [["junk"]]);
  await bob.type("A2", [["0"]]);
  await bob.saved();
  await ann.seesInCell("A2", "0");
  await ann.type("A2", [["250"]]);
  await ann.saved();
  await ann.choose("File", "History");
  const panel = ann.page.getByRole("complementary", { name: "History" });
  await expect(panel.getByRole("listitem")).toHaveCount(3);
  const actions = panel.getByRole("listitem").nth(1).getByRole("button", { name: /^Actions for the changes/ });
  await actions.click();
  await ann.page.getByRole("menuitem", { name: "Undo these changes…" }).click();
  const dialog = ann.page.getByRole("dialog", { name: /^Undo changes of/ });
  await expect(dialog).toContainText("This undoes 2 changes in one step.");
  await expect(dialog.getByRole("listitem")).toHaveText(["Edited Sheet1!A1"]);
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Undo changes" }).click();
  await bob.seesInCell("A1", "plan");
  await bob.seesInCell("A2", "250");
  await expect(panel.getByRole("listitem")).toHaveCount(3);
  await actions.click();
  await ann.page.getByRole("menuitem", { name: "Undo these changes…" }).click();
  await expect(dialog).toContainText("Nothing is left to undo.");
});
