import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

test("show formulas affects one user only", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["2", "=A1*3"]]);
  await bob.seesInCell("B1", "6");
  await ann.press("Control+`");
  await ann.seesInCell("B1", "=A1*3");
  await ann.seesInCell("A1", "2");
  await bob.type("A1", [["5"]]);
  await bob.seesInCell("B1", "15");
  await ann.seesInCell("B1", "=A1*3");
  await ann.press("Control+`");
  await ann.seesInCell("B1", "15");
});

test("zoom affects one user only", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const zoom = (person: typeof ann) => person.page.getByRole("combobox", { name: "Zoom" });
  await ann.page.getByRole("button", { name: "Zoom in" }).click();
  await expect(zoom(ann)).toHaveValue("110%");
  await zoom(ann).selectOption("200%");
  await expect(ann.page.getByRole("button", { name: "Zoom in" })).toBeDisabled();
  await expect(ann.page.getByRole("columnheader").nth(12)).toHaveCount(0);
  await expect(zoom(bob)).toHaveValue("100%");
});

test("the status bar shows the chosen statistics", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["x"]]);
  await ann.select("A1:A3");
  const figures = ann.page.getByRole("group", { name: "Selection" });
  await expect(figures).toContainText("Sum3");
  await expect(figures).toContainText("Count3");
  await expect(figures).not.toContainText("Number count");
  await ann.page.getByRole("button", { name: "Customize status bar" }).click();
  await ann.page.getByRole("menuitemcheckbox", { name: "Number count" }).click();
  await ann.page.getByRole("menuitemcheckbox", { name: "Sum" }).click();
  await ann.press("Escape");
  expect(await violations(ann.page)).toEqual([]);
  await expect(figures).toContainText("Number count2");
  await expect(figures).not.toContainText("Sum");
  await ann.page.reload();
  await ann.saved();
  await ann.select("A1:A3");
  await expect(figures).toContainText("Number count2");
  await expect(figures).not.toContainText("Sum");
});

test("status bar numbers have thousands separators", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1200", "1,300.50"], ["2500", "x"]]);
  await ann.select("A1:B2");
  const figures = ann.page.getByRole("group", { name: "Selection" });
  await expect(figures).toContainText("Sum5,000.5");
  await expect(figures).toContainText("Max2,500");
  await ann.select("B1:B2");
  await expect(figures, "as its format says").toContainText("Sum1,300.50");
});

test("view-only users find editing commands disabled with the reason", async ({ world }) => {
  const ann = await world.enter("only-looked-at");
  await ann.type("A1", [["apple"]]);
  await ann.saved();
  await ann.page.goto(`${world.server.url}/only-looked-at?view`);
  await ann.status("Read only");
  const why = "You can view this workbook but not edit it.";
  // What cannot be used is not displayed.
  await expect(ann.page.getByRole("toolbar", { name: "Formatting" })).toHaveCount(0);
  const toolbar = ann.page.getByRole("toolbar", { name: "Access" });
  await expect(toolbar.getByRole("button", { name: "Comments" })).toBeEnabled();
  await toolbar.getByRole("button", { name: "View only" }).click();
  await expect(ann.page.getByRole("dialog", { name: "View only" }).getByRole("link", { name: "Open for editing" })).toBeVisible();
  await ann.press("Escape");
  await expect(ann.page.getByRole("button", { name: "Add sheet" })).toBeDisabled();
  expect(await violations(ann.page)).toEqual([]);
  const menus = [
    ["File", ["Import a file…", "Workbook settings…", "History"], ["Make a copy…", "Print…", "Language…"]],
    ["Edit", ["Cut", "Paste special…", "Clear contents"], ["Copy", "Find…", "Go to…"]],
    ["View", ["Group rows", "Hide rows"], ["Chat", "Dark"]],
    ["Insert", ["Rows above", "Chart"], ["Comment or note…"]],
    ["Format", ["Bold", "Cell styles…"], []],
    ["Data", ["Filter", "Data validation…"], ["Column statistics", "Named ranges…"]],
  ] as const;
  for (const [menu, grey, usable] of menus) {
    await ann.page.getByRole("button", { name: menu, exact: true }).click();
    const entries = ann.page.getByRole("menu").getByRole("menuitem").or(ann.page.getByRole("menuitemcheckbox"));
    const entry = (text: string) => entries.filter({ has: ann.page.getByText(text, { exact: true }) });
    for (const text of grey) {
      await expect(entry(text)).toBeDisabled();
      await expect(entry(text)).toHaveAttribute("title", why);
    }
    for (const text of usable) {
      await expect(entry(text)).toBeEnabled();
    }
    await ann.press("Escape");
    await expect(ann.page.getByRole("menu")).toHaveCount(0);
  }
  await ann.select("A1");
  await ann.press("Control+b");
  await expect(ann.page.getByText(why)).toBeVisible();
  await expect(ann.field, "the cells keep the keyboard").toBeFocused();
  // The keyboard shortcut is disabled too.
  await ann.press("Control+k");
  await expect(ann.page.getByRole("dialog")).toHaveCount(0);
});

test("gridlines and direction are shared by everyone", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["first"]]);
  await ann.page.getByRole("button", { name: /^View/ }).click();
  await ann.page.getByRole("menuitemcheckbox", { name: "Right-to-left sheet" }).click();
  await ann.press("Escape");
  // In a right-to-left sheet, the left arrow moves to the next column.
  await expect(async () => {
    await bob.select("A1");
    await bob.press("ArrowLeft");
    expect(await bob.page.getByRole("textbox", { name: /^Name box/ }).inputValue()).toBe("B1");
  }).toPass();
  await ann.page.getByRole("button", { name: /^View/ }).click();
  await ann.page.getByRole("menuitemcheckbox", { name: "Show gridlines" }).click();
  await ann.press("Escape");
  await bob.page.getByRole("button", { name: /^View/ }).click();
  await expect(bob.page.getByRole("menuitemcheckbox", { name: "Show gridlines" })).toHaveAttribute("aria-checked", "false");
});

/** Follows the other user in the room. Returns the bar that says so. */
async function followsTheOther(person: User): Promise<Locator> {
  await person.page.getByRole("button", { name: "2 people here" }).click();
  await person.page.getByRole("button", { name: /^Follow/ }).click();
  await person.press("Escape");
  const bar = person.page.getByText(/^Following/);
  await expect(bar).toBeVisible();
  return bar;
}

test("following another user switches sheets and scrolls to cells", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["top"]]);
  const bar = await followsTheOther(bob);
  expect(await violations(bob.page)).toEqual([]);
  await ann.select("Z200");
  await expect(bob.cell("Z200")).toBeAttached();
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(bob.page.getByRole("tab", { selected: true })).toHaveText(/Sheet2/);
  // Changing the selection ends following.
  await bob.press("ArrowDown");
  await expect(bar).toHaveCount(0);
  await ann.select("Z300");
  await ann.saved();
  await expect(bob.cell("A1")).toBeAttached();
});

test("following mirrors scrolling until the follower scrolls", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["top"]]);
  const bar = await followsTheOther(bob);
  const wheel = async (person: typeof ann, byPx: number): Promise<void> => {
    const { x, y } = await person.point("C5");
    await person.page.mouse.move(x, y);
    await person.page.mouse.wheel(0, byPx);
  };
  // Rows are 22 pixels high, so row 41 is the first visible one.
  await wheel(ann, 880);
  await expect(ann.cell("A41")).toBeAttached();
  await expect(ann.cell("A40")).not.toBeAttached();
  await expect(bob.cell("A41")).toBeAttached();
  await expect(bob.cell("A40")).not.toBeAttached();
  // Inserted rows move the sheet and do not end following.
  await command(ann.page, { type: "insertRows", sheet: 1, at: 0, count: 1 });
  await bob.saved();
  await wheel(ann, -880);
  await expect(bob.cell("A2")).toHaveText("top");
  await expect(bar).toBeVisible();
  await wheel(bob, 440);
  await expect(bar).toHaveCount(0);
  await expect(bob.cell("A21")).toBeAttached();
  await wheel(ann, 2_200);
  await expect(ann.cell("A101")).toBeAttached();
  await ann.saved();
  await expect(bob.cell("A22")).toBeAttached();
});

test("the theme is kept in the browser and applied before the first paint", async ({ world }) => {
  const ann = await world.enter();
  const html = ann.page.locator("html");
  await expect(html).toHaveAttribute("data-scheme", "light");
  await ann.choose("View", "Dark");
  await expect(html).toHaveAttribute("data-scheme", "dark");
  expect(await ann.ticked("View")).toContain("Dark");
  expect(await violations(ann.page)).toEqual([]);
  // The theme is applied before the main script runs.
  await ann.page.route("**/assets/index-*.js", (route) => route.abort());
  await ann.page.reload();
  await expect(html).toHaveAttribute("data-scheme", "dark");
  await expect(ann.page.locator("body")).toHaveCSS("background-color", "rgb(20, 24, 26)");
  await ann.page.unroute("**/assets/index-*.js");
  await ann.page.reload();
  await ann.saved();
  await expect(html).toHaveAttribute("data-scheme", "dark");
  await ann.choose("View", "System");
  await expect(html).toHaveAttribute("data-scheme", "light");
  expect(await ann.ticked("View")).toContain("System");
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await expect(html).toHaveAttribute("data-scheme", "dark");
});
