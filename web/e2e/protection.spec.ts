import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

async function protect(person: User, what: { readonly cells?: string; readonly open?: string; readonly words?: string; readonly warns?: boolean }): Promise<void> {
  await person.choose("Data", "Protected cells…");
  const dialog = person.page.getByRole("dialog", { name: "Protected cells" });
  if (what.cells === undefined) {
    await dialog.getByRole("radio", { name: "Whole sheet" }).check();
    await dialog.getByRole("textbox", { name: "Except certain cells" }).fill(what.open ?? "");
  } else {
    const cells = dialog.getByRole("textbox", { name: "Cells", exact: true });
    await cells.fill("these");
    await cells.press("Enter");
    await expect(cells).toHaveAccessibleDescription("Not a valid cell reference: these");
    await cells.fill(what.cells);
  }
  await dialog.getByRole("textbox", { name: "Description" }).fill(what.words ?? "");
  await dialog.getByRole("checkbox", { name: "Show a warning when editing" }).setChecked(what.warns ?? false);
  expect(await violations(person.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Protect", exact: true }).click();
  await expect(dialog.getByRole("button", { name: /^Remove protection/ })).toBeVisible();
  await person.press("Escape");
  await expect(dialog).toBeHidden();
}

test("protected cells cannot be changed until the protection is removed", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1", "2"], ["3", "4"]]);
  await ann.select("A1");
  await protect(ann, { cells: "A1:A2", words: "Prices of 2026" });
  await expect(bob.cell("A2")).toHaveAttribute("aria-readonly", "true");
  await expect(bob.cell("B2")).not.toHaveAttribute("aria-readonly");
  await bob.select("A1");
  await expect(bob.page.getByRole("group", { name: "Selection" })).toContainText("Protected");
  await bob.page.keyboard.type("9");
  await expect(bob.page.getByText(/These cells are protected\. Prices of 2026/)).toBeVisible();
  await bob.seesInCell("A1", "1");
  await expect(bob.page.locator(".cell-field")).toHaveValue("");
  // The engine rejects commands that the page did not check, without leaving changes.
  await bob.select("A1:B2");
  await bob.press("Control+b");
  await expect(bob.page.getByText(/These cells are protected\. Sheet1!A1:A2/)).toBeVisible();
  await expect(bob.page.getByRole("button", { name: "Bold", exact: true })).toHaveAttribute("aria-pressed", "false");
  await bob.type("B1", [["5"]]);
  await ann.sees("A1", [["1", "5"]]);
  // Inserted rows move the protected range.
  await bob.select("A1");
  await bob.press("Control+Alt+=");
  await ann.seesInCell("A2", "1");
  await expect(ann.cell("A3")).toHaveAttribute("aria-readonly", "true");
  await expect(ann.cell("A1")).not.toHaveAttribute("aria-readonly");
  await bob.choose("Data", "Protected cells…");
  await bob.page.getByRole("button", { name: "Remove protection of A2:A3" }).click();
  await expect(bob.page.getByText("Nothing on this sheet is protected.")).toBeVisible();
  await bob.press("Escape");
  await expect(ann.cell("A2")).not.toHaveAttribute("aria-readonly");
  await ann.type("A2", [["7"]]);
  await bob.seesInCell("A2", "7");
});

test("an offline edit of cells protected meanwhile is reverted", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [["1"]]);
  await bob.seesInCell("A1", "1");
  await bob.context.setOffline(true);
  await bob.status(/Offline/);
  await bob.type("A1", [["2"]]);
  await bob.type("B1", [["3"]]);
  await ann.select("A1");
  await protect(ann, { cells: "A1" });
  await bob.context.setOffline(false);
  await expect(bob.page.getByText(/These cells are protected\. Sheet1!A1/)).toBeVisible();
  await bob.saved();
  for (const person of [ann, bob]) {
    await person.sees("A1", [["1", "3"]]);
  }
});

test("a protected sheet has exceptions, and a protection can only warn", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.select("A1");
  await protect(ann, { open: "B2:B3" });
  await expect(bob.cell("A1")).toHaveAttribute("aria-readonly", "true");
  await expect(bob.cell("B2")).not.toHaveAttribute("aria-readonly");
  await bob.type("B2", [["in"]]);
  await ann.seesInCell("B2", "in");
  await bob.select("C1");
  await bob.page.keyboard.type("x");
  await expect(bob.page.getByText(/This sheet is protected\./)).toBeVisible();
  await bob.seesInCell("C1", "");
  await ann.choose("Data", "Protected cells…");
  await ann.page.getByRole("button", { name: "Change Whole sheet except B2:B3" }).click();
  await ann.page.getByRole("checkbox", { name: "Show a warning when editing" }).check();
  await ann.page.getByRole("button", { name: "Apply" }).click();
  await expect(ann.page.getByText("warning only")).toBeVisible();
  await ann.press("Escape");
  await expect(bob.cell("A1")).not.toHaveAttribute("aria-readonly");
  await bob.select("C1");
  await bob.page.keyboard.type("y");
  await bob.press("Enter");
  const warning = bob.page.getByRole("dialog", { name: "Edit these cells?" });
  expect(await violations(bob.page)).toEqual([]);
  await warning.getByRole("button", { name: "Cancel" }).click();
  await bob.seesInCell("C1", "");
  await bob.select("C1");
  await bob.page.keyboard.type("y");
  await bob.press("Enter");
  await warning.getByRole("checkbox", { name: "Do not ask again for five minutes" }).check();
  await warning.getByRole("button", { name: "Edit anyway" }).click();
  await ann.seesInCell("C1", "y");
  await bob.type("C2", [["z"]]);
  await ann.seesInCell("C2", "z");
});

test("cells that only the owner can edit hold against other people", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1", "2"]]);
  const bob = await world.enter();
  // Ann has made the workbook, so she owns it.
  await ann.select("A1");
  await ann.choose("Data", "Protected cells…");
  const dialog = ann.page.getByRole("dialog", { name: "Protected cells" });
  await dialog.getByRole("textbox", { name: "Cells", exact: true }).fill("A1");
  await dialog.getByRole("radio", { name: "Only you" }).check();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Protect", exact: true }).click();
  await expect(dialog.getByText("Only these people can edit: the owner.")).toBeVisible();
  await ann.press("Escape");
  // It is open to Ann, and locked for Bob, who sees why.
  await expect(bob.cell("A1")).toHaveAttribute("aria-readonly", "true");
  await expect(ann.cell("A1")).not.toHaveAttribute("aria-readonly");
  await bob.select("A1");
  await bob.page.keyboard.type("9");
  await expect(bob.page.getByText(/These cells are protected\. Only these people can edit: the owner\./).first()).toBeVisible();
  await bob.choose("Data", "Protected cells…");
  const others = bob.page.getByRole("dialog", { name: "Protected cells" });
  await expect(others.getByText("Only these people can edit: the owner.")).toBeVisible();
  await expect(others.getByRole("button", { name: /^Remove protection/ })).toHaveCount(0);
  await expect(others.getByRole("radio", { name: "Only you" })).toBeDisabled();
  await expect(others.getByText("Only owners and people who have signed in can restrict who edits.")).toBeVisible();
  await bob.press("Escape");
  await bob.seesInCell("A1", "1");
  await ann.type("A1", [["7"]]);
  await bob.seesInCell("A1", "7");
  // The owner names somebody by address; other texts are refused.
  await ann.choose("Data", "Protected cells…");
  await dialog.getByRole("button", { name: "Change A1" }).click();
  await dialog.getByRole("radio", { name: "Custom" }).check();
  const addresses = dialog.getByRole("textbox", { name: "Add editors by e-mail address" });
  await addresses.fill("grace");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(addresses).toHaveAccessibleDescription("Enter e-mail addresses, separated by commas.");
  await addresses.fill("Grace@Example.org");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(dialog.getByText("Only these people can edit: grace@example.org and the owner.")).toBeVisible();
  await dialog.getByRole("button", { name: "Remove protection of A1" }).click();
  await expect(bob.cell("A1")).not.toHaveAttribute("aria-readonly");
});
