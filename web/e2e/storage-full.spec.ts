/** Workbooks of an account that has used up its storage, and that has storage again. */

import type { Page } from "@playwright/test";
import { expect, test } from "./account-pages.ts";

/** Sends a request in the name of the person of a page. */
async function request(page: Page, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ({ method, path, body }) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`/api/v1${path}`, { method, headers, ...(body === null ? {} : { body: JSON.stringify(body) }) });
      if (!response.ok) {
        throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      }
      const text = await response.text();
      return (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    },
    { method, path, body: body ?? null },
  );
}

test("when the storage of the owner is full the page says so, and editing continues when there is some again", async ({ accounts }) => {
  const page = await accounts.openAsAda("/_account");
  for (const name of ["plan", "large"]) {
    await request(page, "POST", "/rooms", { name });
  }
  await request(page, "PUT", "/rooms/large/sheets/Sheet1/cells/A1", "long ".repeat(5_000) as unknown as object);
  await page.goto(`${accounts.server.namedUrl}/plan`);
  const saved = page.getByRole("status", { name: "Save status" });
  const cell = (name: string) => page.locator(`[role=gridcell][data-cell="${name}"]`);
  const type = async (text: string) => {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };
  await expect(saved).toHaveText(/Saved/);
  await type("before");
  await expect(cell("A1")).toHaveText("before");
  await expect(saved).toHaveText(/Saved/);
  // The quota of a real account is reached.
  const { account } = (await request(page, "GET", "/session")) as { account: { id: string } };
  const { quota } = (await request(page, "GET", "/rooms/plan/access")) as { quota: { bytes: { used: number } } };
  await request(page, "PUT", `/admin/accounts/${account.id}/quota`, { bytes: quota.bytes.used });
  await type("refused");
  const chip = page.getByRole("button", { name: "Storage full" });
  await expect(chip).toBeVisible();
  await chip.click();
  await expect(page.getByRole("dialog", { name: "Storage full" })).toContainText("Delete workbooks, or ask an administrator for more storage.");
  await page.keyboard.press("Escape");
  // Nothing of the page is loaded again.
  await page.evaluate(() => {
    document.body.dataset["loaded"] = "once";
  });
  await request(page, "DELETE", "/rooms/large");
  await expect(page.getByText("You can now edit this workbook.")).toBeVisible();
  await expect(chip).toHaveCount(0);
  await expect(page.locator("body")).toHaveAttribute("data-loaded", "once");
  // The change that found the storage full was refused and undone.
  await expect(cell("A2")).toHaveText("");
  await page.getByRole("textbox", { name: /^Name box/ }).fill("A2");
  await page.keyboard.press("Enter");
  await type("after");
  await expect(cell("A2")).toHaveText("after");
  await expect(saved).toHaveText(/Saved/);
  const stored = await page.evaluate(async () => await (await fetch("/plan.csv")).text());
  expect(stored).toBe("before\nafter\n");
});
