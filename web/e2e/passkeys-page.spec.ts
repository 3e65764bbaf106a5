/** Passkeys, with the virtual authenticator of Chromium. */

import type { CDPSession, Page } from "@playwright/test";
import { ADA, expect, section, signOut, test } from "./account-pages.ts";

/** An authenticator like that of a phone or laptop, which confirms each request at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

async function addPasskey(page: Page, label: string): Promise<void> {
  await section(page, "Passkeys").getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog").getByLabel("Name of the passkey").fill(label);
  await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
}

test("a passkey is added, signs in, and is removed", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await addAuthenticator(page);
  const passkeys = section(page, "Passkeys");
  await expect(passkeys.getByText("No passkeys yet")).toBeVisible();
  await addPasskey(page, "Laptop");
  await expect(passkeys.getByRole("listitem")).toContainText(["Laptop"]);

  await addPasskey(page, "Laptop again");
  await expect(page.getByRole("dialog").getByRole("alert")).toHaveText("This device already has a passkey for your account.");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  // Without suggestions, which the virtual authenticator would accept at once.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
  });
  await signOut(page);
  await page.waitForURL(/\/$/);
  await page.goto(`${accounts.server.namedUrl}/_sign-in?return=/_account`);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(`${accounts.server.namedUrl}/_account`);
  await expect(page.getByRole("button", { name: `Account: ${ADA.name}` })).toBeVisible();

  await passkeys.getByRole("button", { name: "Remove: Laptop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(passkeys.getByText("No passkeys yet")).toBeVisible();
});

test("the browser suggests a passkey in the field for the address", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  await addAuthenticator(page);
  await addPasskey(page, "Laptop");
  await expect(section(page, "Passkeys").getByRole("listitem")).toContainText(["Laptop"]);
  await signOut(page);
  await page.waitForURL(/\/$/);
  // The virtual authenticator chooses the suggestion at once.
  await page.goto(`${accounts.server.namedUrl}/_sign-in?return=/_account`);
  await page.waitForURL(`${accounts.server.namedUrl}/_account`);
  await expect(page.getByRole("button", { name: `Account: ${ADA.name}` })).toBeVisible();
});
