/** Administration. */

import { ANSWERS, EMPTY_ANSWERS, Refusal, SIGNED_IN, SIGNED_IN_AS_GRACE } from "../account-answers.ts";
import type { GalleryPage } from "../gallery-page.ts";
import type { State } from "../state.ts";
import { page } from "./accounts.ts";

const menuOfRow = async ({ page: shown }: GalleryPage, row: number): Promise<void> => {
  await shown.locator(".account-row-actions button").nth(row).click();
  await shown.getByRole("menu").waitFor();
};

const choose = async (gallery: GalleryPage, row: number, item: string): Promise<void> => {
  await menuOfRow(gallery, row);
  await gallery.page.getByRole("menu").getByText(gallery.translate(item), { exact: true }).click();
  await gallery.page.getByRole("dialog").waitFor();
};

const addAccount = async (gallery: GalleryPage): Promise<void> => {
  await gallery.button("Add account").click();
  await gallery.page.getByRole("dialog").waitFor();
};

export const admin: readonly State[] = [
  page("admin-overview", "/_admin"),
  page("admin-not-allowed", "/_admin", { "GET /session": SIGNED_IN_AS_GRACE }),
  page("admin-failed", "/_admin", { "GET /session": SIGNED_IN, "GET /admin/overview": new Refusal(503, "overloaded") }),
  page("admin-accounts", "/_admin#accounts"),
  page("admin-accounts-empty", "/_admin#accounts", EMPTY_ANSWERS),
  page("admin-account-actions", "/_admin#accounts", ANSWERS, (gallery) => menuOfRow(gallery, 1)),
  page("admin-account-new", "/_admin#accounts", ANSWERS, async (gallery) => {
    await addAccount(gallery);
    await gallery.page.getByRole("dialog").locator('button[type="submit"]').click();
    await gallery.page.getByRole("alert").nth(1).waitFor();
  }),
  page("admin-account-link", "/_admin#accounts", ANSWERS, async (gallery) => {
    await addAccount(gallery);
    const shown = gallery.page.getByRole("dialog");
    await shown.locator("input").first().fill("Grace Hopper");
    await shown.locator('input[type="email"]').fill("grace@example.org");
    await shown.locator('button[type="submit"]').click();
    await shown.locator(".copy-field").waitFor();
  }),
  page("admin-account-disable", "/_admin#accounts", ANSWERS, (gallery) => choose(gallery, 1, "Disable account…")),
  page("admin-account-quota", "/_admin#accounts", ANSWERS, (gallery) => choose(gallery, 1, "Change quota…")),
  page("admin-account-delete", "/_admin#accounts", ANSWERS, (gallery) => choose(gallery, 1, "Delete account…")),
  page("admin-workbooks", "/_admin#workbooks"),
  page("admin-workbooks-empty", "/_admin#workbooks", EMPTY_ANSWERS),
  page("admin-workbook-transfer", "/_admin#workbooks", ANSWERS, async (gallery) => {
    await choose(gallery, 1, "Transfer ownership…");
    await gallery.page.locator(".account-choice").first().waitFor();
  }),
  page("admin-workbook-delete", "/_admin#workbooks", ANSWERS, (gallery) => choose(gallery, 1, "Delete forever…")),
  page("admin-sessions", "/_admin#sessions"),
  page("admin-tokens", "/_admin#tokens"),
  page("admin-tokens-empty", "/_admin#tokens", EMPTY_ANSWERS),
  page("admin-tenants", "/_admin#tenants"),
  page("admin-tenants-empty", "/_admin#tenants", EMPTY_ANSWERS),
  page("admin-quota", "/_admin#tenants", ANSWERS, async ({ page: shown }) => {
    await shown.locator(".account-row .button").first().click();
    await shown.getByRole("dialog").locator("input").first().fill("many");
    await shown.getByRole("dialog").locator('button[type="submit"]').click();
    await shown.getByRole("alert").waitFor();
  }),
  page("admin-audit", "/_admin#audit"),
  page("admin-audit-empty", "/_admin#audit", EMPTY_ANSWERS),
];
