/**
 * The table of roles (docs/decisions/0015-roles-links-and-accounts.md) in Firefox: each role by a share
 * link, by general access and by an account.
 */

import type { Admin } from "../server.ts";
import { ADA, expect, type Owned, type Person, test } from "./person.ts";

const ROLES = {
  edit: { name: "Editor", chip: undefined, edits: true, comments: true },
  comment: { name: "Commenter", chip: "Comment only", edits: false, comments: true },
  view: { name: "Viewer", chip: "View only", edits: false, comments: false },
} as const;

type Role = keyof typeof ROLES;

/** Opens the workbook as its owner. */
function owner(firefox: { arrive(address: string): Promise<Person> }, workbook: Owned): Promise<Person> {
  return firefox.arrive(`${workbook.url}#owner=${workbook.key}`);
}

/** Whether a person may do each row of the table. The owner watches. */
async function expectRole(person: Person, ann: Person, role: Role): Promise<void> {
  const { name, chip, edits, comments } = ROLES[role];
  await person.seesInCell("A1", "apples");
  if (chip) {
    await person.finds("button", chip);
  }

  // Cells.
  await person.types("B1", "pears");
  if (edits) {
    await ann.seesInCell("B1", "pears");
  } else {
    await person.reads(role === "view" ? "You can view this workbook but not edit it." : "What you enter is a suggestion. Editors can accept it.");
    await person.seesInCell("B1", "");
  }

  // Comments.
  await person.opensComments("D1");
  if (comments) {
    await person.fills("textbox", "New comment", "fresh?");
    await person.pressesWith(["Control"], "Enter");
    await ann.opensComments("D1");
    await ann.reads("fresh?");
  } else {
    expect(await person.count("textbox", "New comment")).toBe(0);
  }
  if (!edits) {
    await ann.seesInCell("B1", "");
  }

  // The history is for editors; everybody who can read can copy and export.
  expect(await person.fileMenu("History", "Make a copy", "Comma-separated")).toEqual([edits, true, true]);

  // Access is for owners.
  await person.opensShare();
  await person.reads(`Your role: ${name}`);
  expect(await person.count("button", "Create link…")).toBe(0);
}

for (const role of ["edit", "comment", "view"] as const) {
  const { name } = ROLES[role];

  test(`${name} by a share link`, async ({ firefox }) => {
    const workbook = await firefox.restricted();
    const { link } = await workbook.change("POST", "/links", { role });
    const bob = await firefox.arrive(`${workbook.url}#link=${link}`);
    await bob.seesInCell("A1", "apples");
    // The link is a secret: it is not in the address bar.
    expect(bob.page.url()).toBe(workbook.url);
    await expectRole(bob, await owner(firefox, workbook), role);
  });

  test(`${name} by general access`, async ({ firefox }) => {
    const workbook = await firefox.restricted();
    await workbook.change("PUT", "", { general: role });
    await expectRole(await firefox.arrive(workbook.url), await owner(firefox, workbook), role);
  });

  test(`${name} by an account`, async ({ firefox }) => {
    const grace: Admin = { name: "Grace Hopper", email: `grace-${role}@example.org`, password: "nanoseconds of wire" };
    await firefox.join(grace);
    const workbook = await firefox.restricted();
    await workbook.change("POST", "/people", { person: grace.email, role });
    await expectRole(await firefox.arrive(workbook.url, grace), await owner(firefox, workbook), role);
  });
}

test("nobody without a link, with a revoked link or with an account that was not invited", async ({ firefox }) => {
  const workbook = await firefox.restricted();
  const { link, id } = await workbook.change("POST", "/links", { role: "edit" });
  await workbook.change("DELETE", `/links/${id}`);
  const without = await firefox.arrive(workbook.url);
  const revoked = await firefox.arrive(`${workbook.url}#link=${link}`);
  const account = await firefox.arrive(workbook.url, ADA);
  await without.finds("heading", "You need access");
  await revoked.finds("heading", "This link no longer works");
  await account.finds("heading", "You need access");
  for (const person of [without, revoked, account]) {
    expect(await person.page.content()).not.toContain("apples");
  }
});

test("the owner changes access, which reaches open pages", async ({ firefox }) => {
  const workbook = await firefox.restricted();
  const { link } = await workbook.change("POST", "/links", { role: "edit", label: "for Bob" });
  const bob = await firefox.arrive(`${workbook.url}#link=${link}`);
  await bob.seesInCell("A1", "apples");
  const ann = await owner(firefox, workbook);
  await ann.seesInCell("A1", "apples");
  await ann.opensShare();
  await ann.page.select('select[aria-label="Role of for Bob"]', "view");
  await bob.finds("button", "View only");
  await ann.clicks("button", "Revoke for Bob");
  await bob.finds("heading", "This link no longer works");
  await bob.page.reload();
  await bob.finds("heading", "This link no longer works");
});

test("a protected range holds against an editor and not against the owner", async ({ firefox }) => {
  const workbook = await firefox.restricted();
  const { link } = await workbook.change("POST", "/links", { role: "edit" });
  const bob = await firefox.arrive(`${workbook.url}#link=${link}`);
  const ann = await owner(firefox, workbook);
  await ann.seesInCell("A1", "apples");
  await bob.seesInCell("A1", "apples");
  await ann.clicks("button", "Data");
  await ann.clicks("menuitem", "Protected cells…");
  await ann.fills("textbox", "Cells", "A1");
  await ann.clicks("radio", "Only you");
  await ann.clicks("button", "Protect");
  await ann.reads("Only these people can edit: the owner.");
  await ann.page.keyboard.press("Escape");
  await expect.poll(() => bob.isLocked("A1")).toBe(true);
  expect(await ann.isLocked("A1")).toBe(false);
  await bob.types("A1", "plums");
  await bob.reads("These cells are protected.");
  await bob.types("B1", "cherries");
  await ann.seesInCell("B1", "cherries");
  await ann.seesInCell("A1", "apples");
  await ann.types("A1", "quinces");
  await bob.seesInCell("A1", "quinces");
});

test("a request for access is answered by the owner", async ({ firefox }) => {
  const workbook = await firefox.restricted();
  const bob = await firefox.arrive(workbook.url);
  await bob.fills("textbox", "Your name", "Bob");
  await bob.clicks("button", "Request access");
  await bob.reads("Your request was sent");
  const ann = await owner(firefox, workbook);
  await ann.seesInCell("A1", "apples");
  await ann.opensShare();
  await ann.page.locator('select[aria-label="Role of Bob"]').fill("edit");
  await ann.page.locator(".share-request .is-main").click();
  const field = await ann.page.waitForSelector('input[aria-label="Share link"]');
  const address = await field?.evaluate((input) => input.value);
  await bob.page.goto(address ?? "");
  await bob.seesInCell("A1", "apples");
});
