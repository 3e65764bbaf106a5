/** Sharing: who may do what with a workbook (docs/decisions/0015-roles-links-and-accounts.md). */

import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, test, User, type World } from "./user.ts";

type SharedRole = "view" | "comment" | "edit";
const ROLE_NAMES: Readonly<Record<SharedRole, string>> = { view: "Viewer", comment: "Commenter", edit: "Editor" };

/** Ann's new workbook with one cell; she owns it. */
async function owned(world: World, room: string): Promise<User> {
  const ann = await world.enter(room);
  await ann.type("A1", [["apples"]]);
  await ann.saved();
  expect(await ownerKey(ann, room)).toMatch(/^qo_/);
  return ann;
}

async function ownerKey(person: User, room: string): Promise<string> {
  return person.page.evaluate((name) => (JSON.parse(localStorage.getItem("quadrille.keys") ?? "{}") as Record<string, string>)[name] ?? "", room);
}

/** Records what the page copies: tests share the clipboard of the machine. */
async function copies(person: User): Promise<() => Promise<string>> {
  await person.page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.documentElement.dataset["copied"] = text;
    };
  });
  return () => person.page.evaluate(() => document.documentElement.dataset["copied"] ?? "");
}

async function openShare(person: User): Promise<Locator> {
  await person.page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = person.page.getByRole("dialog", { name: /^Share/ });
  await expect(dialog.getByRole("heading", { name: "General access" })).toBeVisible();
  return dialog;
}

async function restrict(ann: User): Promise<void> {
  const dialog = await openShare(ann);
  await dialog.getByRole("combobox", { name: "General access" }).selectOption("Restricted");
  await expect(dialog.getByText("Only people with access can open the workbook with the link.")).toBeVisible();
  await ann.press("Escape");
}

/** Creates a share link in the dialog and returns its address. */
async function createLink(ann: User, role: SharedRole, options: { readonly label?: string; readonly password?: string } = {}): Promise<string> {
  const dialog = await openShare(ann);
  await dialog.getByRole("button", { name: "Create link…" }).click();
  await dialog.getByRole("textbox", { name: "Label" }).fill(options.label ?? role);
  await dialog.getByRole("combobox", { name: "Role", exact: true }).selectOption(ROLE_NAMES[role]);
  await dialog.getByLabel("Password (optional)").fill(options.password ?? "");
  await dialog.getByRole("button", { name: "Create link", exact: true }).click();
  const address = await dialog.getByRole("textbox", { name: "Share link" }).inputValue();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await ann.press("Escape");
  return address;
}

async function send(world: World, room: string, key: string, method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`${world.server.url}/api/v1/rooms/${room}/access${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.status;
}

test("a new workbook belongs to whoever opens it first", async ({ world }) => {
  const ann = await owned(world, "plan");
  const bob = await world.enter("plan");
  expect(await ownerKey(bob, "plan")).toBe("");
  const theirs = await openShare(bob);
  await expect(theirs.getByText("Only the owner can change who has access.")).toBeVisible();
  await expect(theirs.getByText("Your role: Editor")).toBeVisible();
  await expect(theirs.getByRole("button", { name: "Create link…" })).toHaveCount(0);
  const copied = await copies(bob);
  await theirs.getByRole("button", { name: "Copy link" }).click();
  await expect.poll(copied).toBe(`${world.server.url}/plan`);
  const dialog = await openShare(ann);
  await expect(dialog.getByText("This browser has the owner key")).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
});

test("each role may do what the table says", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const addresses = { view: await createLink(ann, "view"), comment: await createLink(ann, "comment"), edit: await createLink(ann, "edit") };

  await test.step("nobody without a link", async () => {
    const eve = await world.arrive(`${world.server.url}/plan`);
    await expect(eve.page.getByRole("heading", { name: "You need access" })).toBeVisible();
    await expect(eve.page.getByRole("gridcell", { name: "apples" })).toHaveCount(0);
    expect(await violations(eve.page)).toEqual([]);
  });

  for (const role of ["view", "comment", "edit"] as const) {
    await test.step(role, async () => {
      const bob = await world.arrive(addresses[role]);
      await bob.seesInCell("A1", "apples");
      // The link is a secret: it is not in the address bar.
      expect(bob.page.url()).toBe(`${world.server.url}/plan`);
      const chip = bob.page.getByRole("button", { name: role === "view" ? "View only" : "Comment only" });
      await expect(chip).toHaveCount(role === "edit" ? 0 : 1);

      // Cells.
      await bob.select("B1");
      await bob.page.keyboard.type(role);
      await bob.press("Enter");
      if (role === "edit") {
        await ann.seesInCell("B1", "edit");
      } else {
        const why = role === "view" ? "You can view this workbook but not edit it." : "What you enter is a suggestion. Editors can accept it.";
        await expect(bob.page.getByText(why).first()).toBeVisible();
        await ann.seesInCell("B1", "");
      }

      // Comments, each at its own cell.
      await bob.select({ view: "D1", comment: "D2", edit: "D3" }[role]);
      await bob.press("Control+Alt+m");
      const comment = bob.page.getByRole("textbox", { name: "New comment" });
      await expect(bob.page.getByRole("heading", { name: "Comments" })).toBeVisible();
      if (role === "view") {
        await expect(comment).toHaveCount(0);
      } else {
        await comment.fill(`from ${role}`);
        await comment.press("Control+Enter");
        await ann.press("Control+Alt+m");
        await expect(ann.page.getByText(`from ${role}`)).toBeVisible();
      }

      // The history is for editors.
      await bob.page.getByRole("button", { name: "File", exact: true }).click();
      const entry = bob.page.getByRole("menuitem", { name: "History" });
      await (role === "edit" ? expect(entry).toBeEnabled() : expect(entry).toBeDisabled());
      await expect(bob.page.getByRole("menuitem", { name: "Make a copy…" })).toBeEnabled();
      // Everybody who can read can download.
      const [download] = await Promise.all([bob.page.waitForEvent("download"), bob.page.getByRole("menuitem", { name: "JSON .json" }).click()]);
      expect(download.suggestedFilename()).toBe("plan.json");

      // Access is for owners.
      const dialog = await openShare(bob);
      await expect(dialog.getByText(`Your role: ${ROLE_NAMES[role]}`)).toBeVisible();
      await expect(dialog.getByRole("button", { name: "Create link…" })).toHaveCount(0);
      await bob.context.close();
    });
  }
});

test("a changed role and a revoked link reach open pages", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const bob = await world.arrive(await createLink(ann, "edit", { label: "for Bob" }));
  await bob.saved();
  let dialog = await openShare(ann);
  await dialog.getByRole("combobox", { name: "Role of for Bob" }).selectOption("Viewer");
  await expect(bob.page.getByText("You can now only view this workbook.")).toBeVisible();
  await expect(bob.page.getByRole("button", { name: "View only" })).toBeVisible();
  await dialog.getByRole("combobox", { name: "Role of for Bob" }).selectOption("Commenter");
  await expect(bob.page.getByText("You can now only view and comment on this workbook.")).toBeVisible();
  await ann.press("Escape");
  dialog = await openShare(ann);
  await dialog.getByRole("button", { name: "Revoke for Bob" }).click();
  await expect(bob.page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
  await expect(bob.page.locator(".workbook")).toBeHidden();
  await bob.page.reload();
  await expect(bob.page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
});

test("a link with a password asks for it once", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const bob = await world.arrive(await createLink(ann, "view", { password: "correct horse" }));
  await expect(bob.page.getByRole("heading", { name: "This link needs a password" })).toBeVisible();
  const field = bob.page.getByRole("textbox", { name: "Password" });
  await expect(field).toBeFocused();
  await field.fill("wrong horse");
  await field.press("Enter");
  await expect(field).toHaveAccessibleDescription("Wrong password. Try again.");
  expect(await violations(bob.page)).toEqual([]);
  await field.fill("correct horse");
  await field.press("Enter");
  await bob.seesInCell("A1", "apples");
  await bob.page.reload();
  await bob.seesInCell("A1", "apples");
});

test("a link ends when it expires", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const address = await createLink(ann, "view");
  const key = await ownerKey(ann, "plan");
  const access = await fetch(`${world.server.url}/api/v1/rooms/plan/access`, { headers: { authorization: `Bearer ${key}` } });
  const { links } = (await access.json()) as { links: { id: string }[] };
  expect(await send(world, "plan", key, "PUT", `/links/${links[0]?.id}`, { expiresMs: Date.now() + 3_000 })).toBe(204);
  const bob = await world.arrive(address);
  await expect(bob.page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
});

test("a request for access reaches the owner, who answers with a link", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const bob = await world.arrive(`${world.server.url}/plan`);
  await bob.page.getByRole("textbox", { name: "Your name" }).fill("Bob");
  await bob.page.getByRole("textbox", { name: "Message to the owner (optional)" }).fill("It is me");
  await bob.page.getByRole("button", { name: "Request access" }).click();
  await expect(bob.page.getByText(/^Your request was sent/)).toBeVisible();
  await ann.page.reload();
  await expect(ann.page.getByRole("button", { name: "Share", exact: true })).toHaveAccessibleDescription("1 request for access");
  const dialog = await openShare(ann);
  await expect(dialog.getByText("It is me")).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("combobox", { name: "Role of Bob" }).selectOption("Editor");
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  const address = await dialog.getByRole("textbox", { name: "Share link" }).inputValue();
  await expect(dialog.getByRole("heading", { name: "Requests for access" })).toHaveCount(0);
  await bob.page.goto(address);
  await bob.seesInCell("A1", "apples");
  await expect(ann.page.getByRole("button", { name: "Share", exact: true, includeHidden: true })).toHaveAccessibleDescription("Share this workbook");
});

test("the owner link makes another browser an owner", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const dialog = await openShare(ann);
  await dialog.getByText("Ownership").click();
  const copied = await copies(ann);
  await dialog.getByRole("button", { name: "Copy owner link" }).click();
  await expect(dialog.getByRole("button", { name: /^Revoke the owner key/ })).toHaveCount(1);
  await expect.poll(copied).toContain("#owner=qo_");
  const address = await copied();
  const other = await world.arrive(address);
  await other.saved();
  expect(other.page.url()).toBe(`${world.server.url}/plan`);
  await expect((await openShare(other)).getByText("2 browsers have an owner key")).toBeVisible();
});

test("the start page lists workbooks by how they are known, and the trash", async ({ world }) => {
  const ann = await owned(world, "plan");
  await ann.page.getByRole("textbox", { name: "Workbook name" }).fill("Plan of 2027");
  await ann.press("Enter");
  await ann.saved();
  await restrict(ann);
  const address = await createLink(ann, "view");
  const bob = await world.arrive(address);
  await bob.seesInCell("A1", "apples");

  const rows = (person: User) => person.page.getByRole("tabpanel").getByRole("listitem");
  const tab = async (person: User, name: string): Promise<void> => {
    await person.page.getByRole("tab", { name }).click();
    await expect(person.page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
  };
  await ann.page.goto(world.server.url);
  await expect(rows(ann)).toHaveCount(1);
  await ann.page.getByRole("tab", { name: "Recent" }).press("ArrowRight");
  await expect(ann.page.getByRole("tab", { name: "My workbooks" })).toBeFocused();
  await expect(rows(ann)).toHaveText(/Plan of 2027.*Owned by me/);
  expect(await violations(ann.page)).toEqual([]);
  await tab(ann, "Shared with me");
  await expect(rows(ann)).toHaveCount(0);
  await bob.page.goto(world.server.url);
  await tab(bob, "My workbooks");
  await expect(rows(bob)).toHaveCount(0);
  await tab(bob, "Shared with me");
  await expect(rows(bob)).toHaveText(/Plan of 2027.*Viewer/);
  await bob.page.getByRole("searchbox", { name: "Search workbooks" }).fill("2028");
  await expect(bob.page.getByText("No workbook has this name.")).toBeVisible();

  // The trash.
  await tab(ann, "My workbooks");
  await ann.page.getByRole("button", { name: "Move Plan of 2027 to trash" }).click();
  await expect(rows(ann)).toHaveCount(0);
  await tab(ann, "Trash");
  await expect(rows(ann)).toHaveText(/Plan of 2027.*Deleted in 30 days/);
  await bob.page.goto(address);
  await bob.page.reload();
  await expect(bob.page.getByRole("heading", { name: "This link no longer works" })).toBeVisible();
  await ann.page.getByRole("link", { name: /Plan of 2027/ }).click();
  const banner = ann.page.getByRole("region", { name: "Trash" });
  await expect(banner).toBeVisible();
  await banner.getByRole("button", { name: "Restore" }).click();
  await expect(banner).toHaveCount(0);
  await bob.page.reload();
  await bob.seesInCell("A1", "apples");

  // Deleted for ever.
  const key = await ownerKey(ann, "plan");
  expect(await send(world, "plan", key, "POST", "/trash")).toBe(204);
  await ann.page.goto(world.server.url);
  await tab(ann, "Trash");
  await ann.page.getByRole("button", { name: "Delete Plan of 2027 for ever…" }).click();
  await ann.page.getByRole("button", { name: "Delete for ever: Plan of 2027", exact: true }).click();
  await expect(rows(ann)).toHaveCount(0);
  expect((await fetch(`${world.server.url}/api/v1/rooms/plan`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(404);
});

test("the owner goes on offline and after a restart of the server", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  await world.server.kill();
  await ann.status(/^Offline/);
  await ann.type("A2", [["pears"]]);
  await world.server.run();
  await ann.saved();
  const key = await ownerKey(ann, "plan");
  const csv = await fetch(`${world.server.url}/api/v1/rooms/plan?format=csv`, { headers: { authorization: `Bearer ${key}` } });
  expect(await csv.text()).toBe("apples\npears\n");
});

test("images of a restricted workbook are displayed", async ({ world }) => {
  const ann = await owned(world, "plan");
  await restrict(ann);
  const key = await ownerKey(ann, "plan");
  const gif = Buffer.from("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=", "base64");
  const put = await fetch(`${world.server.url}/api/v1/rooms/plan/images`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: gif });
  const { image } = (await put.json()) as { image: string };
  await fetch(`${world.server.url}/api/v1/rooms/plan/sheets/Sheet1/items`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "image", anchors: ["C3"], fields: { source: image, width: 40, height: 40, altText: "red" } }),
  });
  const shown = ann.page.getByRole("figure", { name: "Image: red" }).locator("img");
  await expect.poll(() => shown.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth)).toBe(1);
});
