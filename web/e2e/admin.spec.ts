/** Administration: accounts, workbooks, sessions, tokens and the audit log. */

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { ADA, type AccountsWorld, expect, section, signIn, test } from "./account-pages.ts";
import { violations } from "./axe.ts";

/** Creates an account in administration and returns the link for its first sign-in. */
async function addAccount(page: Page, name: string, email: string): Promise<string> {
  await section(page, "Accounts").getByRole("button", { name: "Add account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Email address").fill(email);
  await dialog.getByRole("button", { name: "Add account" }).click();
  const link = await page.getByRole("textbox", { name: "Sign-in link" }).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  return link;
}

/** Opens a link for the first sign-in and chooses a password. */
async function acceptInvitation(accounts: AccountsWorld, link: string, password: string): Promise<Page> {
  const { pathname, hash } = new URL(link);
  const page = await accounts.open(pathname + hash);
  await expect(page).toHaveURL(/\/_sign-in$/);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/_account#password");
  const form = section(page, "Password");
  await form.getByRole("textbox", { name: "New password", exact: true }).fill(password);
  await form.getByRole("textbox", { name: "Confirm new password", exact: true }).fill(password);
  await form.getByRole("button", { name: "Set password" }).click();
  await expect(form.getByRole("textbox", { name: "Current password", exact: true })).toBeVisible();
  return page;
}

/** Chooses an action in the menu of a row. */
async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${row}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("an invited person signs in once with the link and then with a password", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin#accounts");
  const link = await addAccount(admin, "Grace Hopper", "grace@example.org");
  const grace = await acceptInvitation(accounts, link, "nanoseconds of wire");
  await grace.goto(`${accounts.server.namedUrl}/_admin`);
  await expect(grace.getByRole("heading", { name: "Only administrators can open this page" })).toBeVisible();

  const { pathname, hash } = new URL(link);
  const again = await accounts.open(pathname + hash);
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(again.getByRole("alert")).toHaveText("This link was used already or has expired. Ask an administrator for a new one.");
  await again.getByRole("link", { name: "Sign in another way" }).click();
  await signIn(again, "grace@example.org", "nanoseconds of wire");
  await again.waitForURL(/\/$/);
});

test("accounts are searched, made administrators, disabled and deleted", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin#accounts");
  const link = await addAccount(admin, "Grace Hopper", "grace@example.org");
  const grace = await acceptInvitation(accounts, link, "nanoseconds of wire");
  const rows = section(admin, "Accounts").getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await admin.getByRole("searchbox").fill("HOPPER");
  await expect(rows).toHaveCount(1);

  await choose(admin, "Grace Hopper", "Make administrator");
  await expect(rows.filter({ hasText: "Administrator" })).toHaveCount(1);
  await choose(admin, "Grace Hopper", "Remove administrator");
  await expect(rows.filter({ hasText: "Administrator" })).toHaveCount(0);

  await choose(admin, "Grace Hopper", "Disable account…");
  await admin.getByRole("dialog").getByRole("button", { name: "Disable account" }).click();
  await expect(rows.filter({ hasText: "Disabled" })).toHaveCount(1);
  await section(grace, "Profile").getByLabel("Name").fill("Amazing Grace");
  await section(grace, "Profile").getByRole("button", { name: "Save" }).click();
  await expect(grace.getByRole("heading", { name: "You were signed out" })).toBeVisible();
  await choose(admin, "Grace Hopper", "Enable account");
  await expect(rows.filter({ hasText: "Disabled" })).toHaveCount(0);

  await choose(admin, "Grace Hopper", "Delete account…");
  await admin.getByRole("dialog").getByRole("textbox").fill("grace@example.org");
  await admin.getByRole("dialog").getByRole("button", { name: "Delete account" }).click();
  await expect(admin.getByText("Nothing found")).toBeVisible();
});

test("the last administrator stays one", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin#accounts");
  await choose(admin, ADA.name, "Remove administrator");
  await expect(admin.getByText("The last administrator must stay one.")).toBeVisible();
  await expect(section(admin, "Accounts").getByRole("listitem").filter({ hasText: "Administrator" })).toHaveCount(1);
});

test("a workbook is transferred to another account and deleted", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin#accounts");
  await addAccount(admin, "Grace Hopper", "grace@example.org");
  await admin.evaluate(() => fetch("/api/v1/rooms", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "plan" }) }));
  await admin.getByRole("link", { name: "Workbooks" }).click();
  const row = section(admin, "Workbooks").getByRole("listitem");
  await expect(row).toHaveCount(1);
  await choose(admin, "plan", "Transfer ownership…");
  const dialog = admin.getByRole("dialog");
  await dialog.getByRole("searchbox").fill("grace");
  await dialog.getByRole("radio", { name: /Grace Hopper/ }).check();
  await dialog.getByRole("button", { name: "Transfer ownership" }).click();
  await expect(row).toContainText(["Owner: Grace Hopper"]);

  await choose(admin, "plan", "Delete forever…");
  await dialog.getByRole("textbox").fill("plan");
  await dialog.getByRole("button", { name: "Delete forever" }).click();
  await expect(section(admin, "Workbooks").getByText("No workbooks yet")).toBeVisible();
});

test("sections of administration are reached by keyboard and link, without accessibility problems", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin");
  await expect(section(admin, "Overview")).toContainText("Accounts");
  for (const name of ["Accounts", "Workbooks", "Sessions", "API tokens", "Tenants and quotas", "Audit log"]) {
    const link = admin.getByRole("navigation", { name: "Administration" }).getByRole("link", { name });
    await link.focus();
    await admin.keyboard.press("Enter");
    await expect(link).toHaveAttribute("aria-current", "page");
    await expect(section(admin, name).getByRole("heading", { name })).toBeFocused();
    await expect(admin.getByText("Loading…")).toHaveCount(0);
    expect(await violations(admin)).toEqual([]);
  }
  await admin.goBack();
  await expect(section(admin, "Tenants and quotas")).toBeVisible();
});

test("an administrator ends sessions and revokes tokens of others", async ({ accounts }) => {
  const other = await accounts.openAsAda("/_account");
  await section(other, "API tokens").getByRole("button", { name: "Create token" }).click();
  await other.getByRole("dialog").getByLabel("Name").fill("Nightly export");
  await other.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Done" }).click();

  const admin = await accounts.openAsAda("/_admin#tokens");
  await section(admin, "API tokens").getByRole("button", { name: "Revoke: Nightly export" }).click();
  await admin.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(section(admin, "API tokens").getByText("No tokens yet")).toBeVisible();
  await admin.getByRole("link", { name: "Sessions" }).click();
  await expect(section(admin, "Sessions").getByRole("listitem")).toHaveCount(2);
});

test("the audit log is filtered and downloaded as lines of JSON", async ({ accounts }) => {
  const admin = await accounts.openAsAda("/_admin#audit");
  const log = section(admin, "Audit log");
  await expect(log.getByRole("row").filter({ hasText: "Signed in" })).toHaveCount(1);
  await log.getByRole("combobox", { name: "Event" }).selectOption("Account created");
  await expect(log.getByRole("row").filter({ hasText: "Signed in" })).toHaveCount(0);
  await expect(log.getByRole("row").filter({ hasText: "Account created" })).toHaveCount(1);
  const [download] = await Promise.all([admin.waitForEvent("download"), log.getByRole("link", { name: "Download" }).click()]);
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["account_created"]);
});
