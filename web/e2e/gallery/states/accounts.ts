/** Sign-in, the account menu and the account page. */

import { ACCOUNT, answer, type Answers, ANSWERS, EMPTY_ANSWERS, NO_METHODS, Refusal, SIGNED_IN, SIGNED_OUT } from "../account-answers.ts";
import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";

/** Opens a page for accounts. Passkeys need a name instead of an IP address. */
export async function openPage(gallery: GalleryPage, path: string, answers: Answers): Promise<void> {
  await answer(gallery.page, answers);
  await gallery.page.goto(gallery.server.url.replace("127.0.0.1", "localhost") + path);
  await gallery.page.locator(".account-card, .account-section, .account-error").first().waitFor();
  // Several sections may still load.
  await gallery.page.waitForFunction(() => document.querySelector(".account-waiting") === null);
}

/** A state of a page for accounts. */
export const page = (name: string, path: string, answers: Answers = ANSWERS, then: (gallery: GalleryPage) => Promise<void> = async () => undefined): State => ({
  name,
  skipsReset: true,
  show: async (gallery) => {
    await openPage(gallery, path, answers);
    await then(gallery);
  },
});

const signedOut = (more: Answers = {}): Answers => ({ "GET /session": SIGNED_OUT, ...more });

const typePassword = async ({ page: shown }: GalleryPage): Promise<void> => {
  await shown.locator('input[name="username"]').fill("ada@example.org");
  await shown.locator('input[name="password"]').fill("a wrong password");
  await shown.locator('button[type="submit"]').click();
  await shown.getByRole("alert").waitFor();
};

const dialog = async (gallery: GalleryPage, button: string): Promise<void> => {
  await gallery.button(button).first().click();
  await gallery.page.getByRole("dialog").waitFor();
};

export const accounts: readonly State[] = [
  page("sign-in", "/_sign-in?return=/harvest-2026", signedOut()),
  page("sign-in-password-only", "/_sign-in", { "GET /session": { ...SIGNED_OUT, signIn: { ...SIGNED_OUT.signIn, passkey: false, providers: [] } } }),
  page("sign-in-empty-fields", "/_sign-in", signedOut(), async ({ page: shown }) => {
    await shown.locator('button[type="submit"]').click();
    await shown.getByRole("alert").first().waitFor();
  }),
  page("sign-in-wrong", "/_sign-in", signedOut({ "POST /session": new Refusal(401, "sign_in_failed") }), typePassword),
  page("sign-in-too-many", "/_sign-in", signedOut({ "POST /session": new Refusal(429, "too_many_requests", { "retry-after": "840" }) }), typePassword),
  page("sign-in-signed-in", "/_sign-in", ANSWERS),
  page("sign-in-link", "/_sign-in#once=qi_k3m9pqrs", signedOut()),
  page("sign-in-link-used", "/_sign-in#once=qi_k3m9pqrs", signedOut({ "POST /session": new Refusal(401, "sign_in_failed") }), async (gallery) => {
    await gallery.button("Sign in").click();
    await gallery.page.getByRole("alert").waitFor();
  }),
  page("sign-in-forgotten", "/_sign-in", signedOut(), async (gallery) => {
    await gallery.button("Forgot your password?").click();
    await gallery.page.locator('button[type="submit"]').click();
    await gallery.page.locator('[aria-invalid="true"]').waitFor();
  }),
  page("sign-in-link-sent", "/_sign-in", signedOut({ "POST /session/recovery": null }), async (gallery) => {
    await gallery.page.locator('input[name="username"]').fill("ada@example.org");
    await gallery.button("Forgot your password?").click();
    await gallery.page.locator('button[type="submit"]').click();
    await gallery.page.locator(".account-card").getByRole("status").waitFor();
  }),
  page("sign-in-new-password", "/_sign-in#recover=qi_k3m9pqrs", signedOut({ "PUT /session/recovery": new Refusal(401, "sign_in_failed") }), async (gallery) => {
    await gallery.page.locator('input[name="new"]').fill("correct horse battery");
    await gallery.page.locator('input[name="again"]').fill("correct horse battery");
    await gallery.page.locator('button[type="submit"]').click();
    await gallery.page.getByRole("alert").waitFor();
  }),
  page("sign-in-no-method", "/_sign-in", { "GET /session": NO_METHODS }),
  page("sign-in-unreachable", "/_sign-in", { "GET /session": new Refusal(503, "overloaded") }),
  {
    name: "account-menu",
    show: async (gallery) => {
      await answer(gallery.page, ANSWERS);
      await gallery.page.reload();
      await gallery.saved();
      await gallery.page.locator(".account-button").click();
      await gallery.page.locator(".account-menu").waitFor();
    },
  },
  {
    name: "account-menu-signed-out",
    show: async (gallery) => {
      await answer(gallery.page, signedOut());
      await gallery.page.reload();
      await gallery.saved();
      await gallery.page.locator(".account-sign-in").waitFor();
    },
  },
  page("account", "/_account"),
  page("account-new", "/_account", EMPTY_ANSWERS),
  page("account-failed", "/_account", { "GET /session": SIGNED_IN, "GET /account": new Refusal(503, "storage_failed") }),
  page("account-signed-out", "/_account", signedOut()),
  page("account-password-errors", "/_account", { ...ANSWERS, "PUT /account/password": new Refusal(401, "sign_in_failed") }, async ({ page: shown }) => {
    await shown.locator('input[name="current"]').fill("a wrong password");
    await shown.locator('input[name="new"]').fill("correct horse battery");
    await shown.locator('input[name="again"]').fill("correct horse battery");
    await shown.locator('#password button[type="submit"]').click();
    await shown.locator("#password").getByRole("alert").waitFor();
  }),
  page("account-add-passkey", "/_account", ANSWERS, (gallery) => dialog(gallery, "Add a passkey")),
  page("account-remove-passkey", "/_account", ANSWERS, async ({ page: shown }) => {
    await shown.locator("#passkeys .account-row .button").first().click();
    await shown.getByRole("dialog").waitFor();
  }),
  page("account-disconnect-provider", "/_account", { ...ANSWERS, "DELETE /account/identities/company": new Refusal(409, "conflict") }, async (gallery) => {
    await gallery.page.locator("#providers .account-row .button").first().click();
    await gallery.page.getByRole("dialog").locator('button[type="submit"]').click();
    await gallery.page.getByRole("alert").waitFor();
  }),
  page("account-end-sessions", "/_account", ANSWERS, (gallery) => dialog(gallery, "Sign out everywhere else")),
  page("account-token-new", "/_account", ANSWERS, (gallery) => dialog(gallery, "Create token")),
  page("account-token-errors", "/_account", ANSWERS, async (gallery) => {
    await dialog(gallery, "Create token");
    const shown = gallery.page.getByRole("dialog");
    await shown.locator('input[name="rooms"]').last().check();
    await shown.locator("select").selectOption("date");
    await shown.locator('button[type="submit"]').click();
    await shown.getByRole("alert").nth(2).waitFor();
  }),
  page("account-token-secret", "/_account", ANSWERS, async (gallery) => {
    await dialog(gallery, "Create token");
    const shown = gallery.page.getByRole("dialog");
    await shown.locator("input").first().fill("Nightly export");
    await shown.locator('button[type="submit"]').click();
    await shown.locator(".copy-field").waitFor();
  }),
  page("account-revoke-token", "/_account", ANSWERS, async ({ page: shown }) => {
    await shown.locator("#tokens .account-row .button").first().click();
    await shown.getByRole("dialog").waitFor();
  }),
  page("account-delete", "/_account", ANSWERS, async (gallery) => {
    await dialog(gallery, "Delete account");
    await gallery.page.getByRole("dialog").locator("input").fill(ACCOUNT.name);
    await gallery.page.getByRole("dialog").locator('button[type="submit"]').click();
    await gallery.page.getByRole("alert").waitFor();
  }),
];
