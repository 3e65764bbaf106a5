import { violations } from "./axe.ts";
import { expect, User, test } from "./user.ts";

test("making a copy creates a separate workbook with the given name", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2", "=A1*3"]]);
  await ann.select("A1");
  await ann.press("Control+b");
  await ann.saved();
  await ann.choose("File", "Make a copy…");
  const dialog = ann.page.getByRole("dialog", { name: "Make a copy" });
  const name = dialog.getByRole("textbox", { name: "Name" });
  await expect(name).toHaveValue(/^Copy of /);
  expect(await violations(ann.page)).toEqual([]);
  await name.fill("Büdget 2027");
  const opened = ann.context.waitForEvent("page");
  await name.press("Enter");
  const copy = new User(await opened, ann.context);
  await copy.saved();
  await copy.sees("A1", [["2", "6"]]);
  await expect(copy.page.getByRole("heading", { level: 1 })).toHaveText("Büdget 2027");
  await copy.select("A1");
  await expect(copy.page.getByRole("button", { name: /^Bold/ })).toHaveAttribute("aria-pressed", "true");
  await copy.type("A1", [["5"]]);
  await copy.seesInCell("B1", "15");
  await copy.saved();
  await expect(dialog).toBeHidden();
  await ann.seesInCell("B1", "6");
});

test("a revision is copied to a new workbook", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["before"]]);
  await ann.saved();
  await bob.type("A1", [["after"]]);
  await ann.seesInCell("A1", "after");
  await ann.choose("File", "History");
  const lines = ann.page.getByRole("complementary", { name: "History" }).getByRole("listitem");
  await expect(lines).toHaveCount(2);
  await lines.last().getByRole("button").first().click();
  const dialog = ann.page.getByRole("dialog", { name: /^Version from/ });
  await expect(dialog.getByRole("cell", { name: "before" })).toBeVisible();
  const opened = ann.context.waitForEvent("page");
  await dialog.getByRole("button", { name: "Make a copy" }).click();
  const copy = new User(await opened, ann.context);
  await copy.saved();
  await copy.seesInCell("A1", "before");
  await ann.seesInCell("A1", "after");
});

test("a failed copy shows the reason and keeps the dialog open", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("File", "Make a copy…");
  const dialog = ann.page.getByRole("dialog", { name: "Make a copy" });
  const make = dialog.getByRole("button", { name: "Make a copy" });
  await expect(make).toBeEnabled();
  await world.server.kill();
  await make.click();
  await expect(dialog.getByRole("alert")).toHaveText("The server cannot be reached");
  await expect(make).toBeEnabled();
});
