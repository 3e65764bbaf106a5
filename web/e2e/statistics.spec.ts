import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const panel = (person: User): Locator => person.page.getByRole("complementary", { name: "Column statistics" });

async function tells(person: User, figures: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, figure] of Object.entries(figures)) {
    await expect(panel(person).locator("dl > div").filter({ has: person.page.getByText(name, { exact: true }) }).locator("dd")).toHaveText(figure);
  }
}

const bars = (person: User, name: string): Locator => panel(person).getByRole("list", { name }).getByRole("listitem");

test("column statistics show figures, frequencies and a histogram, and update", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["town", "boxes"], ["Oslo", "4"], ["Rome", "1"], ["oslo", "4"], ["Bonn", "3"], ["Oslo", ""]]);
  await bob.seesInCell("A6", "Oslo");
  await ann.select("B3");
  await ann.choose("Data", "Column statistics");
  await expect(panel(ann).getByRole("heading", { name: "boxes (B)" })).toBeVisible();
  await tells(ann, { "Non-empty cells": "4", "Blank cells": "1", "Distinct values": "3", Sum: "12", Average: "3", Median: "3.5", Min: "1", Max: "4" });
  await expect(bars(ann, "Most frequent values")).toHaveText(["4 2", "1 1", "3 1"]);
  await expect(bars(ann, "Distribution")).toHaveText(["1 to under 2 1", "2 to under 3 0", "3 to under 4 1", "4 to under 5 2"]);
  expect(await violations(ann.page)).toEqual([]);
  await bob.type("B6", [["3"]]);
  await tells(ann, { "Blank cells": "0", Sum: "15", Median: "3" });
  await expect(bars(ann, "Most frequent values")).toHaveText(["3 2", "4 2", "1 1"]);
  await panel(ann).getByRole("checkbox", { name: "Header row" }).uncheck();
  await tells(ann, { "Non-empty cells": "6", "Distinct values": "4", Sum: "15" });
  await panel(ann).getByRole("checkbox", { name: "Header row" }).check();
  // The panel follows the active cell; a text column has no sum.
  await ann.select("A2");
  await expect(panel(ann).getByRole("heading", { name: "town (A)" })).toBeVisible();
  await expect(bars(ann, "Most frequent values")).toHaveText(["Oslo 3", "Bonn 1", "Rome 1"]);
  await tells(ann, { "Non-empty cells": "5", "Number count": "0" });
  await expect(panel(ann).getByText("Sum")).toHaveCount(0);
  await ann.select("D1");
  await tells(ann, { "Non-empty cells": "0", "Blank cells": "6" });
  await panel(ann).getByRole("button", { name: "Close" }).click();
  await expect(ann.field).toBeFocused();
  // Also from the context menu of the column header.
  const letter = await ann.point("B1");
  await ann.page.mouse.click(letter.x, letter.y - 20, { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Column statistics" }).click();
  await expect(panel(ann).getByRole("heading", { name: "boxes (B)" })).toBeVisible();
});

test("column statistics of a million cells do not block typing", async ({ world }) => {
  const ann = await world.enter();
  // The numbers 1 to 1,000, a thousand times each, and as many texts beside them.
  await ann.type("A1", [["=MOD(ROW()-1,1000)+1", '="no. "&MOD(ROW(),1000)']]);
  await ann.select("A1:B1000000");
  await ann.press("Control+d");
  // Two million formulas are calculated first.
  await expect(ann.cell("A2")).toHaveText("2", { timeout: 60_000 });
  await ann.select("A1");
  await ann.choose("Data", "Column statistics");
  await tells(ann, { "Non-empty cells": "1,000,000", "Distinct values": "1,000", Sum: "500500000", Median: "500.5" });
  await expect(bars(ann, "Most frequent values").first()).toHaveText("1 1,000");
  await ann.select("C1");
  await ann.type("C1", [["typed"]]);
  await ann.seesInCell("C1", "typed");
  await ann.select("B1");
  await expect(panel(ann).getByRole("heading", { name: "no. 1 (B)" })).toBeVisible();
  await tells(ann, { "Non-empty cells": "999,999", "Distinct values": "1,000", "Number count": "0" });
});
