/**
 * The table of roles (docs/decisions/0015-roles-links-and-accounts.md): each role by a share link, by
 * general access and by an account. `sharing.spec.ts` tests the dialogs.
 */

import { ADA, addAccount, signIn } from "./account-pages.ts";
import { type Admin, Server } from "./server.ts";
import { expect, type User, test as base } from "./user.ts";

const ROLES = {
  edit: { name: "Editor", chip: undefined, edits: true, comments: true },
  comment: { name: "Commenter", chip: "Comment only", edits: false, comments: true },
  view: { name: "Viewer", chip: "View only", edits: false, comments: false },
} as const;

type Role = keyof typeof ROLES;

/** A workbook, changed by its owner over REST. */
class Workbook {
  readonly url: string;
  private readonly api: string;
  private readonly key: string;

  private constructor(server: Server, room: string, key: string) {
    this.url = `${server.url}/${room}`;
    this.api = `${server.url}/api/v1/rooms/${room}`;
    this.key = key;
  }

  /** A restricted workbook with `apples` in A1. */
  static async create(server: Server): Promise<Workbook> {
    const { room = "", ownerKey = "" } = await send(`${server.url}/api/v1/rooms`, "POST", "", { claim: true });
    const workbook = new Workbook(server, room, ownerKey);
    await workbook.change("PUT", "", { general: "restricted" });
    await send(`${workbook.api}/sheets/Sheet1/cells/A1`, "PUT", ownerKey, { value: "apples" });
    return workbook;
  }

  /** Changes the access; returns the answer, if it has one. */
  change(method: string, path: string, body?: object): Promise<Record<string, string>> {
    return send(`${this.api}/access${path}`, method, this.key, body);
  }

  /** Creates a share link. */
  async link(role: Role, label = role as string): Promise<string> {
    const { link } = await this.change("POST", "/links", { role, label });
    return `${this.url}#link=${link}`;
  }

  get ownerUrl(): string {
    return `${this.url}#owner=${this.key}`;
  }
}

async function send(url: string, method: string, token: string, body?: object): Promise<Record<string, string>> {
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  expect(response.ok, `${method} ${url}: ${response.status}`).toBe(true);
  const text = await response.text();
  return text === "" ? {} : (JSON.parse(text) as Record<string, string>);
}

/** People of a server with accounts. */
interface People {
  restricted(): Promise<Workbook>;
  /** Opens an address as somebody new, who is signed in if `account` is given. */
  arrive(address: string, account?: Admin): Promise<User>;
  /** Creates an account. */
  join(account: Admin): Promise<void>;
}

const test = base.extend<{ people: People }, { accounts: Server }>({
  accounts: [
    async ({}, use) => {
      const server = await Server.startWithAdmin(ADA, "--create-workbooks", "anyone");
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  people: async ({ world, accounts }, use) => {
    const arrive: People["arrive"] = async (address, account) => {
      if (!account) {
        return world.arrive(address);
      }
      const { pathname } = new URL(address);
      const person = await world.arrive(`${accounts.url}/_sign-in?return=${encodeURIComponent(pathname)}`);
      await signIn(person.page, account.email, account.password);
      await person.page.waitForURL(address);
      return person;
    };
    await use({
      restricted: () => Workbook.create(accounts),
      arrive,
      join: async (account) => {
        const { page } = await arrive(`${accounts.url}/_account`, ADA);
        await addAccount(page, account);
      },
    });
  },
});

const field = (person: User, name: string) => person.page.getByRole("textbox", { name, exact: true });
const button = (person: User, name: string) => person.page.getByRole("button", { name, exact: true });
const heading = (person: User, name: string) => person.page.getByRole("heading", { name, exact: true });

async function openComments(person: User, cell: string): Promise<void> {
  await person.select(cell);
  await person.press("Control+Alt+m");
  await expect(heading(person, "Comments")).toBeVisible();
}

async function openShare(person: User): Promise<void> {
  await button(person, "Share").click();
  await expect(heading(person, "General access")).toBeVisible();
}

/** Whether a person may do each row of the table. The owner watches. */
async function expectRole(bob: User, ann: User, role: Role): Promise<void> {
  const { name, chip, edits, comments } = ROLES[role];
  await bob.seesInCell("A1", "apples");
  await ann.seesInCell("A1", "apples");
  if (chip) {
    await expect(button(bob, chip)).toBeVisible();
  }

  // Cells.
  await bob.select("B1");
  await bob.page.keyboard.type("pears");
  await bob.press("Enter");
  if (edits) {
    await ann.seesInCell("B1", "pears");
  } else {
    const why = role === "view" ? "You can view this workbook but not edit it." : "What you enter is a suggestion. Editors can accept it.";
    await expect(bob.page.getByText(why).first()).toBeVisible();
    await bob.seesInCell("B1", "");
  }

  // Comments.
  await openComments(bob, "D1");
  if (comments) {
    await field(bob, "New comment").fill("fresh?");
    await bob.press("Control+Enter");
    await openComments(ann, "D1");
    await expect(ann.page.getByText("fresh?")).toBeVisible();
  } else {
    await expect(field(bob, "New comment")).toHaveCount(0);
  }
  if (!edits) {
    await ann.seesInCell("B1", "");
  }

  // The history is for editors; everybody who can read can copy and export.
  await button(bob, "File").click();
  const entry = (text: string) => bob.page.getByRole("menuitem", { name: text });
  await (edits ? expect(entry("History")).toBeEnabled() : expect(entry("History")).toBeDisabled());
  await expect(entry("Make a copy")).toBeEnabled();
  await expect(entry("Comma-separated")).toBeEnabled();
  await bob.press("Escape");
  await expect(bob.page.getByRole("menu")).toHaveCount(0);

  // Access is for owners.
  await openShare(bob);
  await expect(bob.page.getByText(`Your role: ${name}`)).toBeVisible();
  await expect(button(bob, "Create link…")).toHaveCount(0);
}

for (const role of ["edit", "comment", "view"] as const) {
  const { name } = ROLES[role];

  test(`${name} by a share link`, async ({ people }) => {
    const workbook = await people.restricted();
    const bob = await people.arrive(await workbook.link(role));
    await bob.seesInCell("A1", "apples");
    // The link is a secret: it is not in the address bar.
    expect(bob.page.url()).toBe(workbook.url);
    await expectRole(bob, await people.arrive(workbook.ownerUrl), role);
  });

  test(`${name} by general access`, async ({ people }) => {
    const workbook = await people.restricted();
    await workbook.change("PUT", "", { general: role });
    await expectRole(await people.arrive(workbook.url), await people.arrive(workbook.ownerUrl), role);
  });

  test(`${name} by an account`, async ({ people }) => {
    const grace: Admin = { name: "Grace Hopper", email: `grace-${role}@example.org`, password: "nanoseconds of wire" };
    await people.join(grace);
    const workbook = await people.restricted();
    await workbook.change("POST", "/people", { person: grace.email, role });
    await expectRole(await people.arrive(workbook.url, grace), await people.arrive(workbook.ownerUrl), role);
  });
}

test("nobody without a link, with a revoked link or with an account that was not invited", async ({ people }) => {
  const workbook = await people.restricted();
  const { link, id } = await workbook.change("POST", "/links", { role: "edit" });
  await workbook.change("DELETE", `/links/${id}`);
  const without = await people.arrive(workbook.url);
  const revoked = await people.arrive(`${workbook.url}#link=${link}`);
  const account = await people.arrive(workbook.url, ADA);
  await expect(heading(without, "You need access")).toBeVisible();
  await expect(heading(revoked, "This link no longer works")).toBeVisible();
  await expect(heading(account, "You need access")).toBeVisible();
  for (const { page } of [without, revoked, account]) {
    expect(await page.content()).not.toContain("apples");
  }
});

test("the owner changes access, which reaches open pages", async ({ people }) => {
  const workbook = await people.restricted();
  const bob = await people.arrive(await workbook.link("edit", "for Bob"));
  await bob.seesInCell("A1", "apples");
  const ann = await people.arrive(workbook.ownerUrl);
  await ann.seesInCell("A1", "apples");
  await openShare(ann);
  await ann.page.getByRole("combobox", { name: "Role of for Bob" }).selectOption("Viewer");
  await expect(button(bob, "View only")).toBeVisible();
  await button(ann, "Revoke for Bob").click();
  await expect(heading(bob, "This link no longer works")).toBeVisible();
  await bob.page.reload();
  await expect(heading(bob, "This link no longer works")).toBeVisible();
});

test("a protected range holds against an editor and not against the owner", async ({ people }) => {
  const workbook = await people.restricted();
  const bob = await people.arrive(await workbook.link("edit"));
  const ann = await people.arrive(workbook.ownerUrl);
  await ann.seesInCell("A1", "apples");
  await bob.seesInCell("A1", "apples");
  await ann.choose("Data", "Protected cells");
  await field(ann, "Cells").fill("A1");
  await ann.page.getByRole("radio", { name: "Only you", exact: true }).check();
  await button(ann, "Protect").click();
  await expect(ann.page.getByText("Only these people can edit: the owner.")).toBeVisible();
  await ann.press("Escape");
  await expect(bob.cell("A1")).toHaveAttribute("aria-readonly", "true");
  await expect(ann.cell("A1")).not.toHaveAttribute("aria-readonly", "true");
  await bob.type("A1", [["plums"]]);
  await expect(bob.page.getByText("These cells are protected.").first()).toBeVisible();
  await bob.type("B1", [["cherries"]]);
  await ann.seesInCell("B1", "cherries");
  await ann.seesInCell("A1", "apples");
  await ann.type("A1", [["quinces"]]);
  await bob.seesInCell("A1", "quinces");
});

test("a request for access is answered by the owner", async ({ people }) => {
  const workbook = await people.restricted();
  const bob = await people.arrive(workbook.url);
  await field(bob, "Your name").fill("Bob");
  await button(bob, "Request access").click();
  await expect(bob.page.getByText("Your request was sent")).toBeVisible();
  const ann = await people.arrive(workbook.ownerUrl);
  await ann.seesInCell("A1", "apples");
  await openShare(ann);
  await ann.page.getByRole("combobox", { name: "Role of Bob" }).selectOption("Editor");
  await ann.page.locator(".share-request .is-main").click();
  await bob.page.goto(await ann.page.getByRole("textbox", { name: "Share link" }).inputValue());
  await bob.seesInCell("A1", "apples");
});
