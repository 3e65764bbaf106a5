/** Reactions to comments, comments as tasks of a person, and notifications. */

import { violations } from "./axe.ts";
import { expect, test, type User } from "./user.ts";

function commentsOf(person: User) {
  return person.page.getByRole("complementary", { name: "Comments" });
}

async function named(person: User, name: string): Promise<void> {
  await person.page.getByRole("button", { name: /people here/ }).click();
  const field = person.page.getByRole("textbox", { name: "Your name" });
  await field.fill(name);
  await field.press("Enter");
  await person.press("Escape");
}

async function comment(person: User, cell: string, text: string): Promise<void> {
  await person.select(cell);
  await person.press("Control+Alt+m");
  const field = commentsOf(person).getByRole("textbox", { name: "New comment" });
  await field.fill(text);
  await field.press("Control+Enter");
  await expect(commentsOf(person).getByText(text)).toBeVisible();
}

test("two people react to a comment, and each takes back the own reaction", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await named(ann, "Ann");
  await named(bob, "Bob");
  await comment(ann, "B2", "Shipped.");
  await bob.page.getByRole("button", { name: /^Comments/ }).click();
  await expect(commentsOf(bob).getByText("Shipped.")).toBeVisible();
  await bob.context.setOffline(true);
  await commentsOf(bob).getByRole("button", { name: "Add reaction" }).click();
  await bob.page.getByRole("dialog", { name: "Add reaction" }).getByRole("button", { name: "👍" }).click();
  await expect(commentsOf(bob).getByRole("button", { name: "👍 1: Bob" })).toHaveAttribute("aria-pressed", "true");
  await commentsOf(ann).getByRole("button", { name: "Add reaction" }).click();
  const dialog = ann.page.getByRole("dialog", { name: "Add reaction" });
  const other = dialog.getByRole("textbox", { name: "Other emoji" });
  await other.fill("ok");
  await expect(dialog.getByRole("button", { name: "Add" })).toBeDisabled();
  expect(await violations(ann.page)).toEqual([]);
  await other.fill("👍");
  await other.press("Enter");
  await bob.context.setOffline(false);
  for (const person of [ann, bob]) {
    await expect(commentsOf(person).getByRole("button", { name: /^👍 2: (Ann and Bob|Bob and Ann)$/ })).toBeVisible();
  }
  expect(await violations(ann.page)).toEqual([]);
  await commentsOf(ann).getByRole("button", { name: /^👍/ }).click();
  await expect(commentsOf(bob).getByRole("button", { name: "👍 1: Bob" })).toBeVisible();
  await ann.select("A1");
  await ann.press("Control+z");
  await expect(commentsOf(bob).getByRole("button", { name: /^👍 2/ })).toBeVisible();
});

test("a comment is assigned, listed by its assignee, done and reopened", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await named(ann, "Ann");
  await named(bob, "Bob");
  await comment(ann, "A1", "Only a remark");
  await ann.select("C3");
  const field = commentsOf(ann).getByRole("textbox", { name: "New comment" });
  await field.fill("@Bob please check");
  await commentsOf(ann).getByRole("checkbox", { name: "Assign to Bob" }).check();
  await field.press("Control+Enter");
  await expect(commentsOf(ann).getByText("Assigned to Bob")).toBeVisible();

  // Bob is told once, and the click leads to the cell and its comments.
  await bob.page.getByRole("button", { name: "Notifications, unread: 1" }).click();
  const notifications = bob.page.getByRole("complementary", { name: "Notifications" });
  await expect(notifications.getByRole("listitem")).toHaveCount(1);
  expect(await violations(bob.page)).toEqual([]);
  await notifications.getByRole("button", { name: /Ann assigned you a task/ }).click();
  await expect(bob.nameBox).toHaveValue("C3");
  await commentsOf(bob).getByRole("combobox", { name: "Show" }).selectOption("Assigned to me");
  await expect(commentsOf(bob).getByText("Only a remark")).toHaveCount(0);
  await commentsOf(bob).getByRole("button", { name: "Mark as done" }).click();
  await expect(commentsOf(bob).getByText("please check")).toHaveCount(0);
  await commentsOf(bob).getByRole("combobox", { name: "Show" }).selectOption("Tasks that are done");
  await expect(commentsOf(bob).getByText("Done by Bob")).toBeVisible();

  await ann.page.getByRole("button", { name: "Notifications, unread: 1" }).click();
  await ann.page.getByRole("complementary", { name: "Notifications" }).getByRole("button", { name: /Bob marked a task as done/ }).click();
  await commentsOf(bob).getByRole("button", { name: "Reopen" }).click();
  await expect(commentsOf(ann).getByRole("button", { name: "Mark as done" })).toBeVisible();
  await commentsOf(ann).getByRole("button", { name: "Remove assignment" }).click();
  await expect(commentsOf(ann).getByText("Assigned to Bob")).toHaveCount(0);
});

test("notifications of mentions, replies and reactions are seen once on a device", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await named(ann, "Ann");
  await named(bob, "Bob");
  await comment(ann, "B2", "First");
  await bob.page.getByRole("button", { name: /^Comments/ }).click();
  const reply = commentsOf(bob).getByRole("textbox", { name: "Reply" });
  await reply.fill("Second, @Ann");
  await reply.press("Control+Enter");
  await reply.fill("Third");
  await reply.press("Control+Enter");
  await commentsOf(bob).getByRole("button", { name: "Add reaction" }).first().click();
  await bob.page.getByRole("dialog", { name: "Add reaction" }).getByRole("button", { name: "🎉" }).click();
  await expect(bob.page.getByRole("button", { name: "Notifications", exact: true })).toBeVisible();

  await ann.page.getByRole("button", { name: "Notifications, unread: 3" }).click();
  const list = ann.page.getByRole("complementary", { name: "Notifications" });
  await expect(list.getByRole("button", { name: /Bob mentioned you/ })).toBeVisible();
  await expect(list.getByRole("button", { name: /Bob replied/ })).toBeVisible();
  await expect(list.getByRole("button", { name: /Bob reacted with 🎉/ })).toBeVisible();
  const bell = ann.page.getByRole("button", { name: "Notifications", exact: true });
  await bell.click();
  await expect(list).toHaveCount(0);
  await reply.fill("Fourth");
  await reply.press("Control+Enter");
  await expect(ann.page.getByRole("status").filter({ hasText: "Bob replied" }), "it is announced").toHaveCount(1);
  await ann.page.getByRole("button", { name: "Notifications, unread: 1" }).click();
  await expect(bell).toHaveAttribute("aria-pressed", "true");
  await ann.page.reload();
  await expect(bell).toBeVisible();
  await reply.fill("Fifth");
  await reply.press("Control+Enter");
  await expect(ann.page.getByRole("button", { name: "Notifications, unread: 1" })).toBeVisible();
});
