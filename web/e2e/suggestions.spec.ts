/** Suggestions: proposed contents of cells, which an editor accepts or rejects (decision 0049). */

import { violations } from "./axe.ts";
import { expect, test, type User, type World } from "./user.ts";

const room = "plan";

/** Ann owns the workbook; everybody else who opens it has this role. */
async function owned(world: World, general: "comment" | "edit"): Promise<User> {
  const ann = await world.enter(room);
  await ann.type("A1", [["apples", "1"], ["pears", "2"]]);
  await ann.saved();
  const key = await ann.page.evaluate((name) => (JSON.parse(localStorage.getItem("quadrille.keys") ?? "{}") as Record<string, string>)[name] ?? "", room);
  const response = await fetch(`${world.server.url}/api/v1/rooms/${room}/access`, {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ general }),
  });
  expect(response.status).toBe(204);
  return ann;
}

function panelOf(person: User) {
  return person.page.getByRole("complementary", { name: "Suggestions" });
}

function inPanel(person: User, cell: string) {
  return panelOf(person).getByRole("listitem").filter({ has: person.page.getByRole("button", { name: `Sheet1 · ${cell}` }) });
}

test("a commenter suggests contents, of which an editor accepts one and rejects one", async ({ world }) => {
  const ann = await owned(world, "comment");
  const bob = await world.enter(room);
  await bob.type("B1", [["10"], ["20"]]);
  await expect(bob.page.getByText("What you enter is a suggestion. Editors can accept it.")).toBeVisible();
  await bob.sees("B1", [["1"], ["2"]]);
  await ann.choose("View", "Suggestions");
  const first = inPanel(ann, "B1");
  await expect(first.getByRole("deletion")).toHaveText("1");
  await expect(first.getByRole("insertion")).toHaveText("10");
  await expect(ann.cell("B1")).toHaveAttribute("aria-description", /suggestion by .*: .*10/);
  expect(await violations(ann.page)).toEqual([]);

  await first.getByRole("button", { name: "Accept" }).press("Enter");
  await bob.seesInCell("B1", "10");
  await inPanel(ann, "B2").getByRole("button", { name: "Reject" }).click();
  await expect(panelOf(ann).getByText("No suggestions.", { exact: false })).toBeVisible();
  await bob.seesInCell("B2", "2");
  await expect(bob.cell("B2")).not.toHaveAttribute("aria-description", /suggestion/);

  // Both answers are undone, and the accepted suggestion is there again.
  await ann.select("A1");
  await ann.press("Control+z", "Control+z");
  await ann.seesInCell("B1", "1");
  await expect(panelOf(ann).getByRole("article")).toHaveCount(2);
  await panelOf(ann).getByRole("button", { name: "Accept all" }).click();
  await bob.sees("B1", [["10"], ["20"]]);
});

test("editors are notified of suggestions, and a click leads to them", async ({ world }) => {
  const ann = await owned(world, "comment");
  const bob = await world.enter(room);
  await expect(ann.page.getByRole("button", { name: "Notifications", exact: true })).toBeVisible();
  await bob.type("B2", [["20"]]);
  const bell = ann.page.getByRole("button", { name: "Notifications, unread: 1" });
  await expect(ann.page.getByRole("status").filter({ hasText: "suggested changes" }), "it is announced").toHaveCount(1);
  await bell.click();
  const list = ann.page.getByRole("complementary", { name: "Notifications" });
  await list.getByRole("button", { name: /suggested changes.*20.*Sheet1 · B2/ }).click();
  await expect(inPanel(ann, "B2").getByRole("insertion")).toHaveText("20");
  await expect(bob.page.getByRole("button", { name: "Notifications", exact: true })).toBeVisible();
  await inPanel(ann, "B2").getByRole("button", { name: "Accept" }).click();
  await bob.seesInCell("B2", "20");
});

test("a commenter withdraws a suggestion on the card of its cell", async ({ world }) => {
  const ann = await owned(world, "comment");
  const bob = await world.enter(room);
  await bob.select("B1");
  await bob.press("Delete");
  await expect(ann.cell("B1")).toHaveAttribute("aria-description", /clear this cell/);
  await bob.select("B1");
  const card = bob.page.getByRole("group", { name: "Suggestions" });
  await expect(card.getByRole("button", { name: "Accept" })).toHaveCount(0);
  await card.getByRole("button", { name: "Withdraw" }).click();
  await expect(ann.cell("B1")).not.toHaveAttribute("aria-description", /suggestion/);
  await bob.seesInCell("B1", "1");
});

test("suggestions are answered in menus", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await bob.choose("View", "Suggest edits");
  await bob.type("A1", [["5", "6"]]);
  await expect(ann.cell("B1")).toHaveAttribute("aria-description", /suggestion/);
  await ann.select("A1");
  await ann.page.getByRole("button", { name: "View", exact: true }).press("Enter");
  await ann.page.getByRole("menuitem", { name: "Accept suggestion" }).press("Enter");
  await bob.seesInCell("A1", "5");
  await ann.click("B1", { button: "right" });
  await ann.page.getByRole("menuitem", { name: "Reject suggestion" }).click();
  await expect(bob.cell("B1")).not.toHaveAttribute("aria-description", /suggestion/);
  await bob.seesInCell("B1", "");
});

test("suggestions made offline arrive later, at the cells that have moved", async ({ world }) => {
  const ann = await owned(world, "comment");
  const bob = await world.enter(room);
  await bob.context.setOffline(true);
  await bob.type("B2", [["=B1*2"]]);
  await expect(bob.cell("B2")).toHaveAttribute("aria-description", /suggestion/);
  await ann.select("A1");
  await ann.press("Control+Alt+=");
  await ann.seesInCell("A3", "pears");
  await bob.context.setOffline(false);
  await expect(ann.cell("B3")).toHaveAttribute("aria-description", /=B2\*2/);
  await ann.select("B3");
  await ann.page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "Accept" }).click();
  await bob.seesInCell("B3", "2");
});

test("an editor suggests, and what cannot be suggested is disabled with the reason", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["1"]]);
  await ann.choose("View", "Suggest edits");
  const bar = ann.page.getByRole("region", { name: "Suggesting" });
  await expect(bar).toBeVisible();
  await ann.type("A1", [["5"]]);
  await expect(bob.cell("A1")).toHaveAttribute("aria-description", /suggestion/);
  await bob.seesInCell("A1", "1");
  await ann.select("A1");
  await ann.press("Control+b");
  await expect(ann.page.getByText("Only contents of cells can be suggested. Go back to editing for this.").first()).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await bar.getByRole("button", { name: "Back to editing" }).click();
  await expect(bar).toHaveCount(0);
  await ann.type("B1", [["7"]]);
  await bob.seesInCell("B1", "7");
});

test("protected contents can be suggested, and only their editors accept them", async ({ world }) => {
  const ann = await owned(world, "edit");
  await ann.select("B1");
  await ann.choose("Data", "Protected cells");
  await ann.page.getByRole("button", { name: "Protect" }).last().click();
  await ann.press("Escape");
  const bob = await world.enter(room);
  await bob.choose("View", "Suggest edits");
  await bob.type("B1", [["9"]]);
  await expect(ann.cell("B1")).toHaveAttribute("aria-description", /suggestion/);
  await bob.select("B1");
  await bob.page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "Accept" }).click();
  await expect(bob.page.getByText(/These cells are protected|protected/).first()).toBeVisible();
  await bob.seesInCell("B1", "1");
});
