import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("the 1904 date system applies to everyone", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["2011-07-05"], ["=A1+0"]]);
  await bob.sees("A1", [["2011-07-05"]]);
  await ann.choose("File", "Workbook settings…");
  const dialog = ann.page.getByRole("dialog", { name: "Workbook settings" });
  await expect(dialog.getByRole("radio", { name: /^1900/ })).toBeChecked();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("radio", { name: /^1904/ }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog).toHaveCount(0);
  // The numbers are unchanged.
  await ann.sees("A1", [["2015-07-06"]]);
  await bob.sees("A1", [["2015-07-06"]]);
  await bob.type("B1", [["2011-07-05"]]);
  await ann.sees("A1", [["2015-07-06", "2011-07-05"]]);
  await ann.choose("File", "Workbook settings…");
  await expect(dialog.getByRole("radio", { name: /^1904/ })).toBeChecked();
  await dialog.getByRole("radio", { name: /^1900/ }).check();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.sees("A1", [["2011-07-05"]]);
});

test("circular references converge with iterative calculation", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["=A1/2+5"]]);
  await ann.seesInCell("A1", "#CIRC!");
  await ann.choose("File", "Workbook settings…");
  const dialog = ann.page.getByRole("dialog", { name: "Workbook settings" });
  await dialog.getByRole("checkbox", { name: "Iterative calculation" }).check();
  await dialog.getByRole("spinbutton", { name: "Maximum iterations" }).fill("3");
  await dialog.getByRole("button", { name: "Apply" }).click();
  // The iterations give 5, 7.5 and 8.75.
  await ann.seesInCell("A1", "8.75");
});
