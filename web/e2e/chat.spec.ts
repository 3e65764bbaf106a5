import type { Locator, Page } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

const button = (page: Page): Locator => page.getByRole("button", { name: /^Chat/ });
const panel = (page: Page): Locator => page.getByRole("complementary", { name: "Chat" });
const field = (page: Page): Locator => panel(page).getByRole("textbox", { name: "Message" });
const messages = (page: Page): Locator => panel(page).getByRole("log", { name: "Messages" });

test("chat messages arrive, and a closed panel shows the unread count", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await button(ann.page).click();
  await expect(panel(ann.page).getByText(/^No messages yet/)).toBeVisible();
  await expect(field(ann.page)).toBeFocused();
  await expect(bob.page.getByRole("button", { name: "Chat", exact: true })).toBeVisible();
  await ann.page.keyboard.type("Good morning");
  await ann.page.keyboard.press("Shift+Enter");
  await ann.page.keyboard.type("everyone");
  await ann.page.keyboard.press("Enter");
  await expect(field(ann.page)).toHaveValue("");
  await expect(messages(ann.page).getByText("Good morning\neveryone")).toBeVisible();
  await expect(bob.page.getByRole("button", { name: "Chat, unread: 1" })).toBeVisible();
  await expect(bob.page.getByRole("status").filter({ hasText: /wrote in the chat$/ })).toHaveCount(1);
  await button(bob.page).click();
  await expect(messages(bob.page).getByText("Good morning")).toBeVisible();
  await expect(bob.page.getByRole("button", { name: "Chat", exact: true })).toBeVisible();
  await field(bob.page).fill("Hello");
  await field(bob.page).press("Enter");
  await expect(messages(ann.page).getByText("Hello")).toBeVisible();
  await expect(messages(ann.page).getByRole("article")).toHaveCount(2);
  expect(await violations(ann.page)).toEqual([]);
  expect(await ann.ticked("View")).toContain("Chat");
  await ann.choose("View", "Chat");
  await expect(panel(ann.page)).toHaveCount(0);
  expect(await ann.ticked("View")).not.toContain("Chat");
  // Chat messages are not edits.
  await expect(ann.page.getByRole("button", { name: /^Undo/ })).toBeDisabled();
});

test("a later visitor reads earlier messages, and the read state persists", async ({ world }) => {
  const ann = await world.enter();
  await button(ann.page).click();
  for (const text of ["one", "two", "three"]) {
    await field(ann.page).fill(text);
    await field(ann.page).press("Enter");
    await expect(messages(ann.page).getByText(text, { exact: true })).toBeVisible();
  }
  const bob = await world.enter();
  await expect(bob.page.getByRole("button", { name: "Chat, unread: 3" })).toBeVisible();
  await button(bob.page).click();
  await expect(messages(bob.page).getByRole("article")).toHaveText([/one$/, /two$/, /three$/]);
  await bob.page.reload();
  await expect(bob.page.getByRole("button", { name: "Chat", exact: true })).toBeVisible();
  await button(bob.page).click();
  await expect(messages(bob.page).getByRole("article")).toHaveCount(3);
});

test("references in chat messages are links to the cells", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("B2:C5");
  await button(ann.page).click();
  await field(ann.page).fill("Please look at");
  await panel(ann.page).getByRole("button", { name: "Selected cells" }).click();
  await expect(field(ann.page)).toHaveValue("Please look at Sheet1!B2:C5 ");
  await ann.page.keyboard.type("and Sheet1!D9.");
  await field(ann.page).press("Enter");
  await button(bob.page).click();
  await messages(bob.page).getByRole("button", { name: "Sheet1!B2:C5" }).click();
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B2:C5");
  await messages(bob.page).getByRole("button", { name: "Sheet1!D9" }).click();
  await expect(bob.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("D9");
});

test("a message written offline is sent once after reconnecting", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await button(ann.page).click();
  await button(bob.page).click();
  await expect(panel(ann.page).getByText(/^No messages yet/)).toBeVisible();
  await ann.page.context().setOffline(true);
  await expect(ann.page.getByRole("status", { name: "Save status" })).toContainText("Offline");
  await field(ann.page).fill("still here");
  await field(ann.page).press("Enter");
  const hers = await ann.page.evaluate(() => (JSON.parse(localStorage.getItem("quadrille.identity") ?? "{}") as { name?: string }).name ?? "");
  await expect(messages(ann.page).getByRole("article", { name: `Message by ${hers}` })).toContainText(hers);
  await expect(messages(ann.page).getByText("Sent when the connection is restored")).toBeVisible();
  await ann.page.context().setOffline(false);
  await expect(messages(bob.page).getByText("still here")).toBeVisible();
  await expect(messages(ann.page).getByText("Sent when the connection is restored")).toHaveCount(0);
  await expect(messages(ann.page).getByRole("article")).toHaveCount(1);
});

test("messages over the rate limit are returned to the sender", async ({ world }) => {
  const ann = await world.enter();
  await button(ann.page).click();
  await expect(panel(ann.page).getByText(/^No messages yet/)).toBeVisible();
  // More messages at once than the rate limit of ten.
  await field(ann.page).evaluate((field: HTMLTextAreaElement) => {
    for (let count = 0; count < 30; count += 1) {
      field.value = `message ${count}`;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    }
  });
  await expect(panel(ann.page).getByRole("alert")).toHaveText("You are sending messages too fast. Wait a moment, then try again.");
  // Rejected messages are returned in order.
  const returned = async (): Promise<string[]> => (await field(ann.page).inputValue()).split("\n");
  await expect.poll(async () => (await returned()).length + (await messages(ann.page).getByRole("article").count())).toBe(30);
  const numbers = (await returned()).map((line) => Number(line.replace("message ", "")));
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  // Rejected messages can be deleted.
  await field(ann.page).fill("");
  await expect(field(ann.page)).toHaveValue("");
});
