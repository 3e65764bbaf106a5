/** Sign-in with a password, the account menu and the account page. */

import { readFile } from "node:fs/promises";
import { ADA, addAccount, expect, section, signIn, signOut, test } from "./account-pages.ts";
import { violations } from "./axe.ts";
import { test as openTest } from "./user.ts";

openTest("a server without accounts shows no account menu", async ({ world }) => {
  const { page } = await world.enter();
  const answer = page.waitForResponse(/\/api\/v1\/session$/);
  await page.reload();
  await answer;
  await expect(page.getByRole("button", { name: "Share" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Sign in" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Account: / })).toHaveCount(0);
});

test("signing in leads back to the workbook, where others see the name of the account", async ({ accounts }) => {
  const page = await accounts.open("/_sign-in?return=/plan");
  await signIn(page, ADA.email, ADA.password);
  await page.waitForURL(`${accounts.server.namedUrl}/plan`);
  await page.getByRole("button", { name: "Account: Ada Lovelace" }).click();
  await expect(page.getByText(ADA.email)).toBeVisible();
  await expect(page.getByRole("link", { name: "Account", exact: true })).toHaveAttribute("href", "/_account");
  await expect(page.getByRole("link", { name: "Administration" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /(person|people) here/ }).click();
  const name = page.getByRole("textbox", { name: "Your name" });
  await expect(name).toHaveValue("Ada Lovelace");
  await expect(name).toHaveAttribute("readonly");
});

test("an address of cells leads there after signing in", async ({ accounts }) => {
  const page = await accounts.open("/plan#sheet=Sheet1&range=C3");
  await page.getByRole("main", { name: "You need access" }).getByRole("link", { name: "Sign in" }).click();
  await signIn(page, ADA.email, ADA.password);
  await page.waitForURL(`${accounts.server.namedUrl}/plan#sheet=Sheet1&range=C3`);
  await expect(page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("C3");
});

test("signing out ends the session of this browser", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await signOut(page);
  await page.waitForURL(/\/$/);
  await page.goto(`${accounts.server.namedUrl}/_account`);
  await expect(page.getByRole("heading", { name: "Sign in to continue" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await signIn(page, ADA.email, ADA.password);
  await page.waitForURL(`${accounts.server.namedUrl}/_account`);
});

test("the sign-in page works with the keyboard and names what is wrong", async ({ accounts }) => {
  const page = await accounts.open("/_sign-in");
  const email = page.getByLabel("Email address");
  const password = page.getByRole("textbox", { name: "Password", exact: true });
  await expect(email).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(email).toHaveAccessibleDescription("Enter your email address.");
  await expect(password).toHaveAccessibleDescription("Enter your password.");
  await expect(email).toBeFocused();
  await page.keyboard.type(ADA.email);
  await page.keyboard.press("Tab");
  await page.keyboard.type("a wrong password");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toHaveText("Wrong email address or password. Try again.");
  await expect(password).toBeFocused();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type(ADA.password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/$/);
});

test("after too many attempts the sign-in page says how long to wait", async ({ accounts }) => {
  const page = await accounts.open("/_sign-in");
  const attempt = () =>
    page.evaluate(async (email) => {
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/v1/session", { method: "POST", headers, body: JSON.stringify({ email, password: "a wrong password" }) })).status;
    }, ADA.email);
  // The limits are in docs/configuration.md; the last of these attempts is beyond each of them.
  let status = 401;
  for (let count = 0; count < 60 && status === 401; count += 1) {
    status = await attempt();
  }
  expect(status).toBe(429);
  await signIn(page, ADA.email, ADA.password);
  await expect(page.getByRole("alert")).toHaveText(/^Too many attempts\. Try again in \d+ (seconds?|minutes?|hours?)\.$/);
  await expect(page.getByRole("button", { name: "Sign in", exact: true })).toBeDisabled();
});

test("a sign-in never leads to another site", async ({ accounts }) => {
  for (const target of ["https://example.com/", "//example.com/", "/\\example.com/", "javascript:alert(1)"]) {
    const page = await accounts.open(`/_sign-in?return=${encodeURIComponent(target)}`);
    await signIn(page, ADA.email, ADA.password);
    await page.waitForURL(`${accounts.server.namedUrl}/`);
  }
});

test("name and password are changed, which ends the other sessions", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  const other = await accounts.openAsAda("/_account");
  const profile = section(page, "Profile");
  await profile.getByLabel("Name").fill("Countess Ada");
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Your name was changed.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Account: Countess Ada" })).toBeVisible();

  const form = section(page, "Password");
  const field = (name: string) => form.getByRole("textbox", { name, exact: true });
  await field("Current password").fill("a wrong password");
  await field("New password").fill("short");
  await field("Confirm new password").fill("other");
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(field("New password")).toHaveAccessibleDescription("Use at least 8 characters.");
  await field("New password").fill("a much better password");
  await expect(field("Confirm new password")).toHaveAccessibleDescription("The passwords do not match.");
  await field("Confirm new password").fill("a much better password");
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(field("Current password")).toHaveAccessibleDescription("Wrong password. Try again.");
  await field("Current password").fill(ADA.password);
  await form.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Your password was changed. You were signed out in other browsers.")).toBeVisible();

  await section(other, "Profile").getByLabel("Name").fill("Somebody");
  await section(other, "Profile").getByRole("button", { name: "Save" }).click();
  await expect(other.getByRole("heading", { name: "You were signed out" })).toBeFocused();
});

test("email about comments is switched off and on, on servers that send mail", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await expect(section(page, "Profile")).toBeVisible();
  await expect(section(page, "Notifications")).toHaveCount(0);
  // Nobody listens at this port: no message is sent here.
  const mail = ["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "Sheets <sheets@example.org>", "--public-url", accounts.server.namedUrl];
  await accounts.server.change("--access", "accounts", ...mail);
  await page.reload();
  const setting = section(page, "Notifications").getByRole("checkbox", { name: "Email about mentions, replies and tasks" });
  await expect(setting).toBeChecked();
  await setting.press("Space");
  await expect(page.getByText("Email is switched off.")).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await expect(setting).not.toBeChecked();
  await setting.press("Space");
  await expect(page.getByText("Email is switched on.")).toBeVisible();

  // The page of a message, for a link that was changed.
  await page.goto(`${accounts.server.namedUrl}/_unsubscribe/changed`);
  await expect(page.getByRole("heading", { name: "Email about mentions, replies and tasks" })).toBeVisible();
  await expect(page.getByRole("status")).toHaveText("This link is not valid. You can switch off email in your account.");
  expect(await violations(page)).toEqual([]);
  await page.getByRole("link", { name: "Open your account" }).click();
  await expect(setting).toBeChecked();
});

test("a session that is ended elsewhere says so on its page", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  const other = await accounts.openAsAda("/_account");
  await page.reload();
  const devices = section(page, "Your devices");
  await expect(devices.getByRole("listitem")).toHaveCount(2);
  await expect(devices.getByRole("listitem").filter({ hasText: "This device" })).toHaveCount(1);
  await devices.getByRole("button", { name: /^Sign out: (Chrome|Firefox)/ }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);

  await section(other, "API tokens").getByRole("button", { name: "Create token" }).click();
  await other.getByRole("dialog").getByLabel("Name").fill("Too late");
  await other.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  await expect(other.getByRole("heading", { name: "You were signed out" })).toBeVisible();
  await expect(other.getByRole("main").getByRole("link", { name: "Sign in" })).toHaveAttribute("href", "/_sign-in?return=%2F_account");
});

test("all other sessions end at once", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await accounts.openAsAda("/_account");
  await accounts.openAsAda("/_account");
  await page.reload();
  const devices = section(page, "Your devices");
  await expect(devices.getByRole("listitem")).toHaveCount(3);
  await devices.getByRole("button", { name: "Sign out everywhere else" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await expect(devices.getByRole("listitem")).toHaveCount(1);
});

test("an API token is shown once, works, and is revoked", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  const tokens = section(page, "API tokens");
  await expect(tokens.getByText("No tokens yet")).toBeVisible();
  await tokens.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByLabel("Name")).toHaveAccessibleDescription("Enter a name.");
  await dialog.getByLabel("Name").fill("Nightly export");
  await dialog.getByRole("radio", { name: /^Read and write/ }).check();
  await dialog.getByLabel("Expiration").selectOption("30");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const secret = await dialog.getByRole("textbox", { name: "Token" }).inputValue();
  expect(secret).toMatch(/^qt_/);
  await dialog.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(tokens.getByRole("listitem")).toContainText(["Nightly export"]);
  await expect(tokens.getByRole("listitem")).toContainText(["Read and write"]);
  expect(await page.content()).not.toContain(secret);

  const use = async (): Promise<number> => (await fetch(`${accounts.server.url}/api/v1/account`, { headers: { authorization: `Bearer ${secret}` } })).status;
  expect(await use()).toBe(200);
  await tokens.getByRole("button", { name: "Revoke: Nightly export" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(tokens.getByText("No tokens yet")).toBeVisible();
  expect(await use()).toBe(401);
});

test("a change of the account long after the sign-in leads to a new one, and back", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  // As the server answers half an hour after the sign-in (`accounts/cookies.rs` of its tests).
  const error = { code: "sign_in_again", message: "sign in again" };
  await page.route("**/api/v1/account/tokens", (route) => (route.request().method() === "POST" ? route.fulfill({ status: 403, json: { error } }) : route.fallback()));
  await section(page, "API tokens").getByRole("button", { name: "Create token" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Nightly export");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  await expect(page.getByText("Sign in again to change your account. Your last sign-in was a while ago.")).toBeVisible();
  await page.waitForURL(/_sign-in\?return=%2F_account&again$/);
  await signIn(page, ADA.email, ADA.password);
  await page.waitForURL(/\/_account$/);
  await expect(section(page, "API tokens")).toBeVisible();
});

test("everything that is stored about a person is downloaded", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download your data" }).click()]);
  const data = await readFile(await download.path(), "utf8");
  expect(JSON.stringify(JSON.parse(data))).toContain(ADA.email);
});

test("an account is deleted after its address was typed", async ({ accounts }) => {
  const grace = { name: "Grace Hopper", email: "grace@example.org", password: "nanoseconds of wire" };
  await addAccount(await accounts.openAsAda("/"), grace);
  const page = await accounts.open("/_sign-in?return=/_account");
  await signIn(page, grace.email, grace.password);
  await section(page, "Your data").getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByRole("textbox");
  await field.fill("yes");
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expect(field).toHaveAccessibleDescription("The text does not match.");
  await field.fill(grace.email);
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await page.waitForURL(/\/$/);
  await page.goto(`${accounts.server.namedUrl}/_sign-in`);
  await signIn(page, grace.email, grace.password);
  await expect(page.getByRole("alert")).toHaveText("Wrong email address or password. Try again.");
});

test("the account of the last administrator is not deleted", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await section(page, "Your data").getByRole("button", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill(ADA.email);
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The last administrator must stay one.");
});
