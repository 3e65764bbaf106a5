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

test("the address of a workbook opens it at the cells that it names", async ({ world }) => {
  const { page, nameBox } = await world.enter();
  const sheets = page.getByRole("tab", { name: /^Sheet\d/ });
  await page.getByRole("button", { name: "Add sheet" }).click();
  await expect(sheets).toHaveCount(2);
  const [first, second] = await sheets.allTextContents();
  const address = page.url();
  // A link that is followed in the open page changes only the fragment.
  await page.goto(`${address}#sheet=${first}&range=D40`);
  await expect(nameBox).toHaveValue("D40");
  await expect(sheets.nth(0)).toHaveAttribute("aria-selected", "true");
  // A page that is opened anew.
  await page.goto("about:blank");
  await page.goto(`${address}#sheet=${second}&range=B7:C9`);
  await expect(sheets.nth(1)).toHaveAttribute("aria-selected", "true");
  await expect(nameBox).toHaveValue(/B7/);
  // A sheet that is gone changes nothing.
  await page.goto(`${address}#sheet=Gone&range=A1`);
  await page.goto(`${address}#range=C3`);
  await expect(nameBox).toHaveValue("C3");
  await expect(sheets.nth(1)).toHaveAttribute("aria-selected", "true");
});
