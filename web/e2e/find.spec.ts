import type { Route } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

function panel(person: User) {
  return person.page.getByRole("region", { name: "Find and replace" });
}

test("find moves through the matches and counts them", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["apple", "pear"], ["my Apple", "=LEN(A1)"], ["grape", "5"]]);
  await ann.select("A1");
  await ann.press("Control+f");
  const find = panel(ann).getByRole("textbox", { name: "Find" });
  await expect(find).toBeFocused();
  const before = await find.boundingBox();
  await find.fill("ap");
  await expect(panel(ann).getByRole("status")).toHaveText("3 found");
  expect(await find.boundingBox(), "what is said beside the field does not move its edges").toEqual(before);
  const name = ann.page.getByRole("textbox", { name: /^Name box/ });
  await find.press("Enter");
  await expect(name).toHaveValue("A2");
  await expect(panel(ann).getByRole("status")).toHaveText("2 of 3");
  await find.press("Enter");
  await expect(name).toHaveValue("A3");
  await find.press("Enter");
  await expect(name).toHaveValue("A1");
  await find.press("Shift+Enter");
  await expect(name).toHaveValue("A3");
  await panel(ann).getByRole("checkbox", { name: "Match case" }).check();
  await find.fill("App");
  await expect(panel(ann).getByRole("status")).toHaveText("1 found");
  await panel(ann).getByRole("checkbox", { name: "Match case" }).uncheck();
  await panel(ann).getByRole("checkbox", { name: "Whole cell" }).check();
  await find.fill("apple");
  await expect(panel(ann).getByRole("status")).toHaveText("1 found");
  await panel(ann).getByRole("checkbox", { name: "Whole cell" }).uncheck();
  await panel(ann).getByRole("checkbox", { name: /Pattern/ }).check();
  await find.fill("^(5|pear)$");
  await expect(panel(ann).getByRole("status")).toHaveText("3 found");
  await find.fill("(");
  await expect(panel(ann).getByRole("status")).toHaveText("Invalid pattern");
  expect(await find.boundingBox()).toEqual(before);
  await expect(panel(ann).getByRole("button", { name: "Next" })).toBeDisabled();
  await panel(ann).getByRole("checkbox", { name: /Pattern/ }).uncheck();
  await panel(ann).getByRole("checkbox", { name: "In formulas" }).check();
  await find.fill("len(");
  await expect(panel(ann).getByRole("status")).toHaveText("1 found");
  expect(await violations(ann.page)).toEqual([]);
  await find.press("Escape");
  await expect(panel(ann)).toBeHidden();
  await expect(ann.page.locator(".cell-field")).toBeFocused();
});

test("similar words are found and replaced in spite of typing errors", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["Bergen"], ["Bregen and Oslo"], ["Bergn"], ["Berlin"], ["bergeen"]]);
  await ann.select("A1");
  await ann.press("Control+h");
  const find = panel(ann).getByRole("textbox", { name: "Find", exact: true });
  await find.fill("bergen");
  await expect(panel(ann).getByRole("status")).toHaveText("1 found");
  await panel(ann).getByRole("checkbox", { name: "Similar words" }).check();
  await expect(panel(ann).getByRole("status")).toHaveText("4 found");
  expect(await violations(ann.page)).toEqual([]);
  // A dollar sign is no group of a pattern.
  await panel(ann).getByRole("textbox", { name: "Replace with" }).fill("Bergen $1");
  await panel(ann).getByRole("button", { name: "Replace all" }).click();
  await ann.sees("A1", [["Bergen $1"], ["Bergen $1 and Oslo"], ["Bergen $1"], ["Berlin"], ["Bergen $1"]]);
  // Patterns and similar words exclude each other.
  await panel(ann).getByRole("checkbox", { name: /Pattern/ }).check();
  await expect(panel(ann).getByRole("checkbox", { name: "Similar words" })).not.toBeChecked();
});

test("replace all changes all sheets in one undo step, and others see it", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["red"], ["reddish"], ["blue"], ['="red"&A1']]);
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
  await ann.type("B2", [["Red"]]);
  await ann.press("Control+h");
  await panel(ann).getByRole("textbox", { name: "Find" }).fill("red");
  await panel(ann).getByRole("combobox", { name: "Search" }).selectOption("All sheets");
  await expect(panel(ann).getByRole("status")).toHaveText("4 found");
  await panel(ann).getByRole("textbox", { name: "Replace with" }).fill("green");
  await panel(ann).getByRole("button", { name: "Replace all" }).click();
  await expect(ann.page.getByText("3 cells changed.")).toBeVisible();
  await ann.seesInCell("B2", "green");
  await bob.sees("A1", [["green"], ["greendish"], ["blue"], ["redgreen"]]);
  await panel(ann).getByRole("textbox", { name: "Find" }).press("Escape");
  await ann.press("Control+z");
  await ann.seesInCell("B2", "Red");
  await bob.sees("A1", [["red"], ["reddish"], ["blue"], ["redred"]]);
});

test("without matches, next, previous and replace are disabled", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["apple"]]);
  await ann.press("Control+h");
  const buttons = ["Previous", "Next", "Replace", "Replace all"].map((name) => panel(ann).getByRole("button", { name, exact: true }));
  const find = panel(ann).getByRole("textbox", { name: "Find" });
  await find.fill("pear");
  await expect(panel(ann).getByRole("status")).toHaveText("No matches");
  for (const button of buttons) {
    await expect(button).toBeDisabled();
  }
  expect(await violations(ann.page)).toEqual([]);
  await find.fill("apple");
  for (const button of buttons) {
    await expect(button).toBeEnabled();
  }
  await panel(ann).getByRole("textbox", { name: "Replace with" }).fill("plum");
  await panel(ann).getByRole("button", { name: "Replace all" }).click();
  await expect(panel(ann).getByRole("button", { name: "Replace all" })).toBeDisabled();
  // The focus stays in the field.
  await ann.press("Escape");
  await expect(panel(ann)).toBeHidden();
});

test("matches are replaced one by one", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["x1"], ["x2"], ["y"], ["x3"]]);
  await ann.select("A1");
  await ann.choose("Edit", /Find and replace/);
  await panel(ann).getByRole("textbox", { name: "Find" }).fill("x");
  await panel(ann).getByRole("textbox", { name: "Replace with" }).fill("z");
  await expect(panel(ann).getByRole("status")).toHaveText("3 found");
  await panel(ann).getByRole("button", { name: "Replace", exact: true }).click();
  await ann.seesInCell("A1", "z1");
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A2");
  await panel(ann).getByRole("button", { name: "Replace", exact: true }).click();
  await ann.sees("A1", [["z1"], ["z2"], ["y"], ["x3"]]);
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A4");
});

test("named ranges are created, used, visited, changed and deleted", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"], ["3"]]);
  await ann.select("A1:A2");
  await ann.choose("Data", "Named ranges…");
  const dialog = ann.page.getByRole("dialog", { name: "Named ranges" });
  await expect(dialog.getByRole("textbox", { name: "Cells or formula" })).toHaveValue("Sheet1!$A$1:$A$2");
  const name = dialog.getByRole("textbox", { name: "Name" });
  await name.press("Enter");
  await expect(name).toHaveAccessibleDescription("Enter a value.");
  await name.fill("B7");
  await name.press("Enter");
  await expect(name).toHaveAccessibleDescription(/^Use only letters, digits/);
  await name.fill("prices");
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByRole("button", { name: /^prices/ })).toContainText("Sheet1!$A$1:$A$2");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await ann.type("C1", [["=SUM(prices)"]]);
  await ann.seesInCell("C1", "5");
  const box = ann.page.getByRole("textbox", { name: /^Name box/ });
  await ann.press("Control+g");
  await expect(box).toBeFocused();
  await box.fill("Prices");
  await box.press("Enter");
  await expect(box).toHaveValue("A1:A2");
  await ann.choose("Data", "Named ranges…");
  await dialog.getByRole("button", { name: "Change prices" }).click();
  await dialog.getByRole("textbox", { name: "Cells or formula" }).fill("Sheet1!$A$1");
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await expect(dialog.getByRole("button", { name: /^prices/ })).toContainText("Sheet1!$A$1");
  await ann.seesInCell("C1", "2");
  await dialog.getByRole("button", { name: "Remove prices" }).click();
  await expect(dialog.getByText("There are no named ranges yet. A name can refer to cells or to a formula.")).toBeVisible();
  await ann.seesInCell("C1", "#NAME?");
  // The pressed button was removed, and the focus stays in the dialog.
  await ann.press("Escape");
  await expect(dialog).toBeHidden();
});

test("keys typed while a dialog is loading do not reach the cells", async ({ world }) => {
  const context = await world.browser.newContext();
  const page = await context.newPage();
  const heldRoutes: Route[] = [];
  await page.route(/(FindPanel|SortDialog)[^/]*\.js/, (route) => {
    heldRoutes.push(route);
  });
  await page.goto(`${world.server.url}/typed-ahead`);
  await expect(page.getByRole("status", { name: "Save status" })).toHaveText("Saved");
  const cell = page.locator(".cell-field");
  const bar = page.getByRole("textbox", { name: "Formula bar" });
  await page.keyboard.type("apple");
  await page.keyboard.press("Control+Enter");
  await expect(bar).toHaveValue("apple");

  await page.keyboard.press("Control+f");
  await expect.poll(() => heldRoutes.length).toBe(1);
  await page.keyboard.type("ap");
  await page.keyboard.press("Delete");
  await page.keyboard.type("ple");
  await expect(cell).toHaveValue("");
  await heldRoutes[0]?.continue();
  const find = page.getByRole("textbox", { name: "Find" });
  await expect(find).toBeFocused();
  await expect(find).toHaveValue("apple");
  await page.keyboard.type("s");
  await expect(find, "the next letter follows").toHaveValue("apples");
  await page.keyboard.press("Escape");
  await expect(cell).toBeFocused();
  await expect(bar).toHaveValue("apple");
  await page.keyboard.press("Control+f");
  await expect(find).toBeFocused();
  await page.keyboard.type("x");
  await expect(find, "what was looked for before gives way").toHaveValue("x");
  await cell.focus();
  await page.keyboard.press("Control+f");
  await expect(find, "the same keys lead back").toBeFocused();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Sort…" }).click();
  await expect.poll(() => heldRoutes.length).toBe(2);
  await cell.focus();
  await page.keyboard.type("x");
  await page.keyboard.press("Delete");
  await expect(cell).toHaveValue("");
  await heldRoutes[1]?.continue();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(bar).toHaveValue("apple");
  await context.close();
});
