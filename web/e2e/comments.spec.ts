import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("a comment thread is created, answered and resolved, and moves with its cell", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("B2", [["1200"]]);
  await ann.select("B2");
  await ann.press("Control+Alt+m");
  const hers = ann.page.getByRole("complementary", { name: "Comments" });
  await hers.getByRole("textbox", { name: "New comment" }).fill("Is this net or gross?");
  await hers.getByRole("textbox", { name: "New comment" }).press("Control+Enter");
  await bob.page.getByRole("button", { name: /^Comments/ }).click();
  const his = bob.page.getByRole("complementary", { name: "Comments" });
  await expect(his.getByText("Is this net or gross?")).toBeVisible();
  await bob.select("A1");
  await bob.press("Control+Alt+=");
  await expect(hers.getByRole("button", { name: "Sheet1 · B3" })).toBeVisible();
  await his.getByRole("textbox", { name: "Reply" }).fill("Gross.");
  await his.getByRole("button", { name: "Reply" }).click();
  await expect(hers.getByText("Gross.")).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await hers.getByRole("button", { name: "Resolve" }).click();
  await expect(his.getByText("Gross.")).toHaveCount(0);
  await his.getByRole("checkbox", { name: "Show resolved" }).check();
  await expect(his.getByText(/^Resolved by/)).toBeVisible();
  await his.getByRole("button", { name: "Sheet1 · B3" }).click();
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B3");
});

test("a note is stored at its cell when another cell is selected immediately", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("C2");
  await ann.press("Control+Alt+m");
  await ann.page.getByRole("textbox", { name: "Note of C2" }).fill("from the audit");
  await ann.click("A5");
  await expect(ann.page.getByRole("textbox", { name: "Note of A5" })).toHaveValue("");
  await bob.select("C2");
  await bob.press("Control+Alt+m");
  await expect(bob.page.getByRole("textbox", { name: "Note of C2" })).toHaveValue("from the audit");
});

test("a reply being typed is kept when others reply", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("B2");
  await ann.press("Control+Alt+m");
  const hers = ann.page.getByRole("complementary", { name: "Comments" });
  await hers.getByRole("textbox", { name: "New comment" }).fill("Net or gross?");
  await hers.getByRole("textbox", { name: "New comment" }).press("Control+Enter");
  await bob.page.getByRole("button", { name: /^Comments/ }).click();
  const his = bob.page.getByRole("complementary", { name: "Comments" });
  await his.getByRole("textbox", { name: "Reply" }).fill("I think");
  await hers.getByRole("textbox", { name: "Reply" }).fill("Never mind.");
  await hers.getByRole("textbox", { name: "Reply" }).press("Control+Enter");
  await expect(his.getByText("Never mind.")).toBeVisible();
  await expect(his.getByRole("textbox", { name: "Reply" })).toBeFocused();
  await expect(his.getByRole("textbox", { name: "Reply" })).toHaveValue("I think");
});

test("the shortcut leads to the field for a comment, and to that for a reply where there is a thread", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("B2");
  await ann.press("Control+Alt+m");
  const panel = ann.page.getByRole("complementary", { name: "Comments" });
  await expect(panel.getByRole("textbox", { name: "New comment" })).toBeFocused();
  await ann.page.keyboard.type("Net or gross?");
  await ann.press("Control+Enter");
  await expect(panel.getByText("Net or gross?")).toBeVisible();
  await ann.press("Escape");
  await expect(panel).toBeHidden();
  await ann.press("Control+Alt+m");
  await expect(panel.getByRole("textbox", { name: "Reply" })).toBeFocused();
});
