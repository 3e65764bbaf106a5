import { violations } from "./axe.ts";
import { expect, type User, User as Visitor, test } from "./user.ts";

const field = ({ page }: User) => page.getByRole("textbox", { name: "Workbook name" });

async function rename(person: User, title: string): Promise<void> {
  await field(person).click();
  await field(person).fill(title);
  await person.page.keyboard.press("Enter");
  await expect(field(person)).not.toBeFocused();
}

test("a workbook is renamed for everyone and reverted", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  const usual = await field(ann).getAttribute("placeholder");
  await expect(field(ann)).toHaveValue("");
  await rename(ann, "  Büdget 2027 ");
  for (const person of [ann, bob]) {
    await expect(field(person)).toHaveValue("Büdget 2027");
    await expect(person.page).toHaveTitle("Büdget 2027 – Quadrille");
    await expect(person.page.getByRole("heading", { level: 1 })).toHaveText("Büdget 2027");
  }
  // The focus returns to the cells.
  await ann.page.keyboard.type("7");
  await ann.page.keyboard.press("Enter");
  await ann.sees("A1", [["7"]]);
  expect(await violations(ann.page)).toEqual([]);
  // Escape cancels.
  await field(ann).click();
  await field(ann).fill("something else");
  await ann.page.keyboard.press("Escape");
  await expect(field(ann)).toHaveValue("Büdget 2027");
  // A title being edited is not replaced by a remote change.
  await field(bob).click();
  await bob.page.keyboard.press("End");
  await bob.page.keyboard.type(" (B");
  await rename(ann, "Plan");
  await expect(bob.page).toHaveTitle("Plan – Quadrille");
  await bob.page.keyboard.type(")");
  await expect(field(bob)).toHaveValue("Büdget 2027 (B)");
  await bob.page.keyboard.press("Escape");
  await expect(field(bob)).toHaveValue("Plan");
  await ann.press("Control+z");
  await expect(field(bob)).toHaveValue("Büdget 2027");
  await rename(bob, "");
  await expect(field(ann)).toHaveValue("");
  await expect(ann.page).toHaveTitle(`${usual} – Quadrille`);
});

test("a title is used in the list, in file names, in copies and in the history", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["2"]]);
  await ann.choose("File", "Rename");
  await expect(field(ann)).toBeFocused();
  await ann.page.keyboard.type("Plan");
  await ann.page.keyboard.press("Enter");
  await ann.saved();
  await rename(ann, "Q1: Süd/Nord");
  await ann.saved();
  await ann.choose("File", "History");
  const history = ann.page.getByRole("complementary", { name: "History" });
  await expect(history).toContainText("Renamed the workbook from “\u2068Plan\u2069” to “\u2068Q1: Süd/Nord\u2069”");
  await history.getByRole("button", { name: "Close" }).click();
  await ann.page.getByRole("button", { name: "File", exact: true }).click();
  const download = ann.page.waitForEvent("download");
  await ann.page.getByRole("menuitem", { name: /^Excel workbook/ }).click();
  expect((await download).suggestedFilename()).toBe("Q1_ Süd_Nord.xlsx");
  await ann.page.reload();
  await expect(field(ann)).toHaveValue("Q1: Süd/Nord");
  await ann.choose("File", "Make a copy…");
  const name = ann.page.getByRole("dialog", { name: "Make a copy" }).getByRole("textbox", { name: "Name" });
  await expect(name).toHaveValue("Copy of Q1: Süd/Nord");
  const opened = ann.context.waitForEvent("page");
  await name.press("Enter");
  const copy = new Visitor(await opened, ann.context);
  await copy.saved();
  await expect(field(copy)).toHaveValue("Copy of Q1: Süd/Nord");
  await ann.page.getByRole("link", { name: "Quadrille: start page" }).click();
  await expect(ann.page.getByRole("listitem").filter({ hasText: "Q1: Süd/Nord" })).toHaveCount(2);
});

test("view-only users cannot rename a workbook", async ({ world }) => {
  const ann = await world.enter();
  await rename(ann, "Plan");
  await ann.saved();
  const viewer = await ann.context.newPage();
  await viewer.goto(`${ann.page.url()}?view`);
  await expect(viewer.getByRole("heading", { level: 1 })).toHaveText("Plan");
  await expect(viewer.getByRole("status", { name: "Save status" })).toHaveText("Read only");
  await expect(viewer.getByRole("textbox", { name: "Workbook name" })).toHaveCount(0);
});

test.describe("with a service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("a title set offline is stored and sent after reconnecting", async ({ world }) => {
    const ann = await world.enter();
    const bob = await world.enter();
    await rename(ann, "Plan");
    await ann.saved();
    await ann.page.evaluate(() => navigator.serviceWorker.ready);
    await expect.poll(() => ann.page.evaluate(async () => (await caches.match("/index.html")) !== undefined)).toBe(true);
    await world.server.kill();
    await ann.status(/Offline/);
    await rename(ann, "Plan B");
    await ann.status("Offline · 1 change stored on this device, not sent yet");
    // The start page shows the title, and the next tab reads it from the stored replica.
    const address = ann.page.url();
    const page = await ann.context.newPage();
    await page.goto(new URL("/", address).href);
    await expect(page.getByRole("listitem").filter({ hasText: "Plan B" })).toHaveCount(1);
    await ann.page.close();
    await page.goto(address);
    await expect(field(new Visitor(page, ann.context))).toHaveValue("Plan B");
    await world.server.run();
    await expect(field(bob)).toHaveValue("Plan B");
  });
});
