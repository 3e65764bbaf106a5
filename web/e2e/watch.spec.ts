import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("watched cells show their values and follow edits, inserted rows and a reload", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["2", "3", "=A1*B1"]]);
  await ann.select("C1");
  await ann.choose("Data", "Watch window");
  const panel = ann.page.getByRole("complementary", { name: "Watch window" });
  await expect(panel).toContainText("Watched cells stay in sight");
  await panel.getByRole("button", { name: "Watch the selected cells" }).click();
  const cell = panel.getByRole("listitem");
  await expect(cell).toHaveText(/Sheet1!C1\s*6\s*=A1\*B1/);
  expect(await violations(ann.page)).toEqual([]);
  await bob.type("A1", [["5"]]);
  await expect(cell).toContainText("15");
  // Rows that others or the person inserts move the cell.
  await bob.select("A1");
  await bob.choose("Insert$", "Rows above");
  await expect(cell).toContainText("Sheet1!C2");
  await ann.select("A1");
  await ann.choose("Insert$", "Rows above");
  await expect(cell).toHaveText(/Sheet1!C3\s*15\s*=A3\*B3/);
  await ann.press("Control+z");
  await expect(cell).toContainText("Sheet1!C2");
  await ann.page.reload();
  await ann.choose("Data", "Watch window");
  await expect(cell).toContainText("Sheet1!C2");
  await cell.getByRole("button", { name: /Sheet1!C2/ }).first().click();
  await expect(ann.page.getByRole("textbox", { name: "Name box" })).toHaveValue("C2");
  await cell.getByRole("button", { name: "Stop watching Sheet1!C2" }).click();
  await expect(panel).toContainText("Watched cells stay in sight");
});
