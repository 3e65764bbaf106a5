import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

const FILE = resolve(import.meta.dirname, "../../crates/files/tests/fixtures/shapes.xlsx");

function shape(person: User, text: string): Locator {
  return person.page.getByRole("figure", { name: `Shape: ${text}` });
}

/** Whether the image of a shape is loaded and drawn. */
async function isDrawn(figure: Locator): Promise<boolean> {
  return figure.locator("img").evaluate((image) => image instanceof HTMLImageElement && image.complete && image.naturalWidth > 0);
}

test("shapes of an Excel file are shown, moved, resized and described, and are in the next file", async ({ world }) => {
  const made = await fetch(`${world.server.url}/api/v1/rooms/shapes`, {
    method: "PUT",
    headers: { "content-type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
    body: await readFile(FILE),
  });
  expect(made.status).toBe(201);
  const [ann, bob] = await Promise.all([world.enter("shapes"), world.enter("shapes")]);
  await expect(ann.page.getByRole("figure")).toHaveCount(11);
  for (const text of ["How to fill in: 1 < 2", "Where to begin", "Next", "Warehouse", "Check this"]) {
    await expect.poll(() => isDrawn(shape(ann, text))).toBe(true);
  }
  expect(await violations(ann.page)).toEqual([]);
  // The keyboard moves and resizes it; a side does not follow the other one.
  const [before, unchanged] = [await shape(bob, "Ready?").boundingBox(), await shape(bob, "Check this").boundingBox()];
  await shape(ann, "Ready?").focus();
  await ann.press("ArrowDown", "Shift+ArrowRight");
  const after = { ...before, y: (before?.y ?? 0) + 10, width: (before?.width ?? 0) + 10 };
  await expect.poll(() => shape(bob, "Ready?").boundingBox()).toEqual(after);
  expect(await shape(bob, "Check this").boundingBox()).toEqual(unchanged);
  await ann.press("Enter");
  const panel = ann.page.getByRole("complementary", { name: "Shape" });
  await expect(panel).toContainText("This shape comes from an imported file.");
  await expect(panel.getByLabel("Place in cell")).toHaveCount(0);
  await panel.getByLabel("Height").fill("90");
  await panel.getByLabel("Height").blur();
  await expect.poll(() => shape(bob, "Ready?").boundingBox()).toEqual({ ...after, height: 90 });
  await panel.getByLabel("Alternative text").fill("Is all ready?");
  await panel.getByLabel("Alternative text").blur();
  await expect(shape(bob, "Is all ready?")).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Delete shape" }).click();
  await expect(bob.page.getByRole("figure")).toHaveCount(10);
  await ann.press("Control+z");
  await expect(bob.page.getByRole("figure")).toHaveCount(11);
  // A workbook that is made from the exported file has the shapes, too.
  const exported = await fetch(`${world.server.url}/api/v1/rooms/shapes?format=xlsx`);
  const again = await fetch(`${world.server.url}/api/v1/rooms/shapes-again`, {
    method: "PUT",
    headers: { "content-type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
    body: await exported.arrayBuffer(),
  });
  expect(await again.json()).toMatchObject({ warnings: [] });
  const cat = await world.enter("shapes-again");
  await expect(cat.page.getByRole("figure")).toHaveCount(11);
  await expect.poll(() => isDrawn(shape(cat, "Is all ready?"))).toBe(true);
});
