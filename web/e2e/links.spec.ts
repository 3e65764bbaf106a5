import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("a link is inserted, changed, followed by others and removed", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.select("B2");
  await ann.press("Control+k");
  const dialog = ann.page.getByRole("dialog", { name: "Link in B2" });
  const address = dialog.getByRole("textbox", { name: "Address" });
  await expect(address).toBeFocused();
  expect(await violations(ann.page)).toEqual([]);
  await address.fill("javascript:alert(1)");
  await address.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveText("This link is not valid.");
  await expect(address).toHaveAccessibleDescription("This link is not valid.");
  await address.fill("example.org/orchard");
  await dialog.getByRole("textbox", { name: "Text" }).fill("the orchard");
  await address.press("Enter");
  await expect(dialog).toBeHidden();
  await bob.seesInCell("B2", "the orchard");
  await expect(bob.cell("B2")).toHaveAttribute("aria-description", /https:\/\/example\.org\/orchard/);

  // A link may lead to cells of the workbook. Bob opens it.
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert", exact: true }).click();
  await ann.page.getByRole("menuitem", { name: "Link…" }).click();
  await expect(address).toHaveValue("https://example.org/orchard");
  await address.fill("D40");
  await address.press("Enter");
  await expect(bob.cell("B2")).toHaveAttribute("aria-description", /#Sheet1!D40/);
  const at = await bob.point("B2");
  await bob.page.keyboard.down("Control");
  await bob.page.mouse.click(at.x, at.y);
  await bob.page.keyboard.up("Control");
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("D40");

  await ann.select("B2");
  await ann.press("Control+k");
  await dialog.getByRole("button", { name: "Remove link" }).click();
  await expect(bob.page.locator("[aria-description]")).toHaveCount(0);
  await ann.seesInCell("B2", "the orchard");
  await ann.press("Control+z");
  await expect(ann.cell("B2")).toHaveAttribute("aria-description", /#Sheet1!D40/);
});
