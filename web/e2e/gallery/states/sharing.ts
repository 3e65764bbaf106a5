/** The Share dialog, and the pages of people with less than edit access. */

import { changeAccess, createOwned, hostToken } from "../access.ts";
import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

/** A teal square, as a picture of a person. */
const TEAL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEElEQVR42mNgaGjAjoaWBADiMEABsMU5DQAAAABJRU5ErkJggg==";

interface Owned {
  readonly room: string;
  readonly key: string;
  /** Changes the access as the owner. */
  readonly change: (method: string, path: string, body?: object) => Promise<Record<string, string>>;
}

/** A restricted workbook. */
async function restricted(gallery: GalleryPage): Promise<Owned> {
  const { server } = gallery;
  const { room, key } = await createOwned(server, "Harvest 2027");
  const change: Owned["change"] = (method, path, body) => changeAccess(server, room, key, method, path, body);
  await change("PUT", "", { general: "restricted" });
  return { room, key, change };
}

/** A workbook with links, people and a request. */
async function shared(gallery: GalleryPage): Promise<Owned> {
  const workbook = await restricted(gallery);
  await workbook.change("POST", "/links", { role: "view", label: "for the board", password: "correct horse" });
  await workbook.change("POST", "/links", { role: "edit", label: "Grace Hopper", expiresMs: Date.now() + 40 * 86_400_000 });
  await workbook.change("POST", "/people", { person: "ada@example.org", role: "edit" });
  await workbook.change("POST", "/people", { person: "a.person.with.quite.a.long.address@department.example.org", role: "comment" });
  return workbook;
}

async function open(gallery: GalleryPage, room: string, fragment = ""): Promise<void> {
  await gallery.page.goto(`${gallery.server.url}/${room}${fragment}`);
}

/** Protects cells, which owners and one person may edit. */
async function protectFor(gallery: GalleryPage, room: string, key: string, editor: string): Promise<void> {
  const response = await fetch(`${gallery.server.url}/api/v1/rooms/${room}/sheets/Sheet1/items`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "protectedRange", anchors: ["B2:C5"], fields: { description: "Agreed in March", editors: ["owner", editor] } }),
  });
  if (!response.ok) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
}

async function openShare(gallery: GalleryPage): Promise<void> {
  await gallery.page.locator(".save-state").getByText(gallery.translate("Saved"), { exact: true }).waitFor();
  await gallery.page.locator(".header-share").click();
  await gallery.page.locator(".share-section").first().waitFor();
}

/** Publishes a price list and opens its page. */
async function published(gallery: GalleryPage, query = ""): Promise<void> {
  const { server } = gallery;
  const { room, key } = await createOwned(server, "Harvest 2027");
  const send = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${server.url}/api/v1/rooms/${room}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) {
      throw new Error(`${response.status} ${await response.text()}`);
    }
    return (await response.json()) as Record<string, string>;
  };
  const rows = [["Product", "Unit", "Price", "Stock", "Change"], ["Apples", "kg", 2.4, 120, 0.05], ["Pears", "kg", 3.1, 45, -0.02], ["Cider, dry", "bottle", 6.9, 0, 0.11]];
  await send("PUT", "/sheets/Sheet1/cells/A1:E4", { cells: rows });
  const sheet = "Sheet1";
  const commands = [
    { type: "format", sheet, range: "A1:E1", format: { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" } },
    { type: "format", sheet, range: "C2:C4", format: { numberFormat: "#,##0.00" } },
    { type: "format", sheet, range: "E2:E4", format: { numberFormat: "+0%;-0%", textColor: "#1a5fb4" } },
    { type: "freezePanes", sheet, rows: 1, columns: 1 },
    { type: "setItem", sheet, kind: "conditionalRule", anchors: ["D2:D4"], fields: { rule: "dataBar", color: "#5cc2a6", stops: [{ at: "minimum" }, { at: "maximum" }] } },
    {
      type: "setItem",
      sheet,
      kind: "chart",
      anchors: ["B6"],
      fields: { type: "column", title: "Stock", legend: "none", series: [{ name: "=$D$1", categories: "=$A$2:$A$4", values: "=$D$2:$D$4" }], width: 380, height: 220 },
    },
    { type: "addSheet", name: "Last year" },
  ];
  await send("POST", "/commands", { commands });
  const page = await send("POST", "/published", { title: "Farm shop prices" });
  await gallery.page.goto(`${server.url}${page["url"]}?lang=${gallery.translations.language}${query}`);
  await gallery.page.locator(".chart canvas").first().waitFor();
}

const share = (name: string, show: (gallery: GalleryPage) => Promise<void>): State => ({ name, skipsReset: true, show });

export const sharing: readonly State[] = [
  share("published-page", (gallery) => published(gallery)),
  share("published-page-embedded", (gallery) => published(gallery, "&embed")),
  {
    name: "dialog-publish",
    skipsReset: true,
    show: async (gallery) => {
      const { room, key } = await restricted(gallery);
      await open(gallery, room, `#owner=${key}`);
      await gallery.saved();
      const dialog = await gallery.dialog("File", "Publish to web…");
      await dialog.locator("button[type=submit]").click();
      await dialog.locator(".publish-row").waitFor();
    },
  },
  {
    name: "dashboard",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\n");
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.locator(".panel-header .tool").last().click();
      await gallery.choose("View", "Show as dashboard");
      await gallery.page.locator(".workbook.is-dashboard").waitFor();
      await gallery.page.waitForTimeout(900);
    },
  },
  {
    name: "chart-sheet",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("Fruit,Crates,Last year\nApple,612,580\nPear,301,310\nPlum,174,90\n");
      await gallery.button("Insert chart").click();
      await gallery.page.locator(".chart-canvas canvas, .chart-canvas svg").first().waitFor();
      await gallery.page.locator(".panel-header .tool").last().click();
      await gallery.page.locator(".drawing-frame").click({ button: "right" });
      await gallery.page.locator("[role=menuitem]").filter({ hasText: gallery.translate("Move to own sheet") }).click();
      await gallery.page.locator(".is-own-sheet canvas, .is-own-sheet svg").first().waitFor();
      await gallery.page.waitForTimeout(900);
    },
  },
  {
    name: "presentation",
    show: async (gallery) => {
      await gallery.choose("View", "Present");
      await gallery.page.locator(".presentation-bar").waitFor();
    },
  },
  share("share-owner", async (gallery) => {
    const { room, key } = await shared(gallery);
    await open(gallery, room, `#owner=${key}`);
    await openShare(gallery);
  }),
  share("share-requests", async (gallery) => {
    const { room, key } = await shared(gallery);
    await fetch(`${gallery.server.url}/api/v1/rooms/${room}/access/requests`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Alan", email: "alan@example.org", message: "I count the pears." }),
    });
    await open(gallery, room, `#owner=${key}`);
    await openShare(gallery);
    await gallery.page.locator(".header-share-count").waitFor();
  }),
  share("share-new-link", async (gallery) => {
    const { room, key } = await restricted(gallery);
    await open(gallery, room, `#owner=${key}`);
    await openShare(gallery);
    await gallery.button("Create link…").click();
    await gallery.page.locator(".share-new-link input[type=password]").fill("short");
  }),
  share("share-made-link", async (gallery) => {
    const { room, key } = await restricted(gallery);
    await open(gallery, room, `#owner=${key}`);
    await openShare(gallery);
    await gallery.button("Create link…").click();
    await gallery.page.locator(".share-new-link button[type=submit]").click();
    await gallery.page.locator(".share-made-link").waitFor();
  }),
  share("share-ownership", async (gallery) => {
    const { room, key, change } = await restricted(gallery);
    await change("POST", "/owner-keys");
    await open(gallery, room, `#owner=${key}`);
    await openShare(gallery);
    await gallery.page.locator(".share-more > summary").click();
    await gallery.button("Move to trash…").click();
  }),
  share("share-editor", async (gallery) => {
    const { room, change } = await restricted(gallery);
    const { link = "" } = await change("POST", "/links", { role: "edit" });
    await open(gallery, room, `#link=${link}`);
    await openShare(gallery);
  }),
  {
    name: "share-unclaimed",
    skipsReset: true,
    show: async (gallery) => {
      await gallery.ownRoom("1,2");
      await openShare(gallery);
    },
  },
  share("comment-only", async (gallery) => {
    const { room, change } = await restricted(gallery);
    const { link = "" } = await change("POST", "/links", { role: "comment" });
    await open(gallery, room, `#link=${link}`);
    await gallery.page.locator(".access-chip").click();
    await gallery.page.locator(".access-explanation").waitFor();
  }),
  share("storage-full", async (gallery) => {
    const { room, key, change } = await restricted(gallery);
    const { link = "" } = await change("POST", "/links", { role: "view" });
    // The session is that of a viewer, as the server opens it then; its access says what the person may do.
    await gallery.page.route(/\/access$/, async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), authorization: `Bearer ${key}` } });
      await route.fulfill({ response });
    });
    await open(gallery, room, `#link=${link}`);
    await gallery.page.locator(".access-chip").getByText(gallery.translate("Storage full")).waitFor();
    await gallery.page.locator(".access-chip").click();
    await gallery.page.locator(".access-explanation").waitFor();
  }),
  share("request-edit-access", async (gallery) => {
    const { room, change } = await restricted(gallery);
    const { link = "" } = await change("POST", "/links", { role: "view" });
    await open(gallery, room, `#link=${link}`);
    await gallery.page.locator(".access-chip").click();
    await gallery.page.locator(".access-explanation .button").click();
    await gallery.page.locator(".request-form").waitFor();
  }),
  share("no-access", async (gallery) => {
    const { room } = await restricted(gallery);
    await open(gallery, room);
    await gallery.page.locator(".request-form").waitFor();
  }),
  share("no-access-sent", async (gallery) => {
    const { room } = await restricted(gallery);
    await open(gallery, room);
    await gallery.page.locator(".request-form button[type=submit]").click();
    await gallery.page.locator(".request-sent").waitFor();
  }),
  share("link-locked", async (gallery) => {
    const { room, change } = await restricted(gallery);
    const { link = "" } = await change("POST", "/links", { role: "view", password: "correct horse" });
    await open(gallery, room, `#link=${link}`);
    await gallery.page.locator(".no-access input[type=password]").fill("wrong horse");
    await gallery.page.locator(".no-access button[type=submit]").click();
    await gallery.page.locator(".form-error").waitFor();
  }),
  share("link-ended", async (gallery) => {
    const { room, change } = await restricted(gallery);
    const { link = "", id = "" } = await change("POST", "/links", { role: "view" });
    await change("DELETE", `/links/${id}`);
    await open(gallery, room, `#link=${link}`);
    await gallery.page.locator(".request-form").waitFor();
  }),
  share("access-removed", async (gallery) => {
    const { room, change } = await restricted(gallery);
    await change("PUT", "", { general: "edit" });
    await open(gallery, room);
    await gallery.saved();
    await change("PUT", "", { general: "restricted" });
    await gallery.page.locator(".request-form").waitFor();
  }),
  share("protection-people", async (gallery) => {
    const { room, key, change } = await shared(gallery);
    await change("POST", "/people", { person: "another.person.with.a.long.address@department.example.org", role: "edit" });
    await open(gallery, room, `#owner=${key}`);
    await gallery.saved();
    await gallery.select("B2:C5");
    const dialog = await gallery.dialog("Data", "Protected cells…");
    await dialog.locator("fieldset input[type=radio]").last().check();
    await dialog.locator("fieldset input[type=checkbox]").first().check();
    await dialog.locator(".field[inputmode=email]").fill("grace@example.org, nobody");
  }),
  share("protection-of-others", async (gallery) => {
    const { room, key, change } = await shared(gallery);
    const { link = "" } = await change("POST", "/links", { role: "edit" });
    await protectFor(gallery, room, key, "ada@example.org Ada Lovelace");
    await open(gallery, room, `#link=${link}`);
    await gallery.saved();
    await gallery.select("B2");
    await gallery.type("x");
    await gallery.page.locator(".toast.is-error").waitFor();
    await gallery.dialog("Data", "Protected cells…");
  }),
  share("people-with-pictures", async (gallery) => {
    const secret = "a secret of at least thirty-two bytes";
    const server = await gallery.ownServer("--token-issuers", JSON.stringify([{ issuer: "wiki", secret }]));
    const url = (name: string, picture: string): string => `${server.url}/plan#token=${hostToken(secret, name, picture)}`;
    for (const [name, picture] of [["Grace Hopper", TEAL], ["Alan Turing", ""]] as const) {
      const page = await gallery.context.newPage();
      await page.goto(url(name, picture));
      await page.locator("input.name-box").fill("B2");
      await page.locator("input.name-box").press("Enter");
    }
    await gallery.page.goto(url("Ada Lovelace", TEAL));
    await gallery.saved();
    await gallery.page.locator(".people .avatar-picture").nth(1).waitFor();
    await gallery.page.locator(".people").click();
    await gallery.page.locator(".people-list .avatar-picture").nth(1).waitFor();
  }),
  share("in-trash", async (gallery) => {
    const { room, key, change } = await restricted(gallery);
    await change("POST", "/trash");
    await open(gallery, room, `#owner=${key}`);
    await gallery.page.locator(".trash-banner").waitFor();
  }),
];
