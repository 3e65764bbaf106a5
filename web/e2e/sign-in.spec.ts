import { expect, type Page, test } from "@playwright/test";
import { OpenIdProvider } from "./openid-provider.ts";
import { Server } from "./server.ts";

interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly isAdmin: boolean;
}

/** Who is signed in on the page. */
async function signedIn(page: Page): Promise<Account | null> {
  const session = await page.evaluate(() => fetch("/api/v1/session").then((response) => response.json()));
  return (session as { account: Account | null }).account;
}

test("people sign in with a certified OpenID provider, and sign out there too", async ({ page }) => {
  const server = await Server.start();
  const provider = await OpenIdProvider.startFor(server, server.url, { admin_groups: ["admins"], sign_in_groups: ["staff"] });
  try {
    await page.goto(`${server.url}/_sign-in/certified?return=/budget`);
    await provider.signIn(page, "ada");
    await expect(page).toHaveURL(`${server.url}/budget`);
    const ada = await signedIn(page);
    expect(ada).toMatchObject({ name: "Ada", email: "ada@example.org", isEmailVerified: true, isAdmin: false });

    // The provider remembers the person, and the account is the same.
    await page.goto(`${server.url}/_sign-in/certified`);
    await expect(page).toHaveURL(`${server.url}/`);
    expect((await signedIn(page))?.id).toBe(ada?.id);

    await page.goto(`${server.url}/budget`);
    await page.getByRole("button", { name: "Account: Ada" }).click();
    await page.getByRole("button", { name: "Sign out of Certified provider too" }).click();
    await expect(page).toHaveURL(/\/session\/end/);
    await page.getByRole("button", { name: /Yes/ }).click();
    await expect(page).toHaveURL(`${server.url}/`);
    expect(await signedIn(page)).toBeNull();

    await page.goto(`${server.url}/_sign-in/certified`);
    await provider.signIn(page, "admin-grace");
    await expect(page).toHaveURL(`${server.url}/`);
    expect(await signedIn(page)).toMatchObject({ isAdmin: true });
  } finally {
    provider.stop();
    await server.stop();
  }
});

test("an account with a password connects a provider, signs in with it, and disconnects it", async ({ page }) => {
  const admin = { name: "Grace Hopper", email: "grace@example.org", password: "correct horse battery staple" };
  const server = await Server.startWithAdmin(admin);
  const provider = await OpenIdProvider.startFor(server, server.url);
  const signInByPassword = async (): Promise<void> => {
    await page.goto(`${server.url}/_sign-in`);
    await page.getByRole("textbox", { name: "Email address" }).fill(admin.email);
    await page.getByRole("textbox", { name: "Password" }).fill(admin.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page).toHaveURL(`${server.url}/`);
  };
  try {
    await signInByPassword();
    const grace = await signedIn(page);
    await page.goto(`${server.url}/_account`);
    await page.getByRole("button", { name: "Connect: Certified provider" }).click();
    // At the provider, Grace is somebody with another name and address.
    await provider.signIn(page, "ada");
    await expect(page).toHaveURL(`${server.url}/_account#providers`);
    await expect(page.getByRole("button", { name: "Disconnect: Certified provider" })).toBeVisible();

    await page.evaluate(() => fetch("/api/v1/session", { method: "DELETE" }));
    await page.goto(`${server.url}/_sign-in/certified`);
    await expect(page).toHaveURL(`${server.url}/`);
    expect(await signedIn(page)).toEqual(grace);

    await page.goto(`${server.url}/_account`);
    await page.getByRole("button", { name: "Disconnect: Certified provider" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expect(page.getByText("The provider was disconnected.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Connect: Certified provider" })).toBeVisible();
  } finally {
    provider.stop();
    await server.stop();
  }
});

test("a sign-in that is cancelled at the provider ends on a page that says so", async ({ page }) => {
  const server = await Server.start();
  const provider = await OpenIdProvider.startFor(server, server.url);
  try {
    await page.goto(`${server.url}/_sign-in/certified`);
    await page.getByRole("link", { name: /Cancel/ }).click();
    await expect(page.getByRole("heading", { name: "Sign-in failed" })).toBeVisible();
    await expect(page.getByText("access_denied")).toBeVisible();
    await expect(page.getByText(/^Request [0-9a-f]{8}$/)).toBeVisible();
    expect(await signedIn(page)).toBeNull();
  } finally {
    provider.stop();
    await server.stop();
  }
});
