import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { picture, pixelsOf } from "./image-files.ts";
import { expect, type User, test, type World } from "./user.ts";

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
  await expect(panel.getByLabel("Text", { exact: true })).toHaveValue("Ready?");
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

/** The stored image of the only shape or image of a room. */
async function sourceOf(world: World, room: string): Promise<string> {
  const answer = await fetch(`${world.server.url}/api/v1/rooms/${room}/sheets/Sheet1/items?kind=image`);
  const { items } = (await answer.json()) as { readonly items: readonly { readonly fields: { readonly source: string } }[] };
  return items[0]?.fields.source ?? "";
}

/** The texts that the only shape shows, and its fills. */
async function drawn(world: World, room: string): Promise<{ readonly texts: readonly string[]; readonly fills: readonly string[] }> {
  const image = await fetch(`${world.server.url}/api/v1/rooms/${room}/images/${await sourceOf(world, room)}`);
  const svg = await image.text();
  const all = (pattern: RegExp): string[] => [...svg.matchAll(pattern)].map((match) => match[1] ?? "");
  return { texts: all(/<span[^>]*>([^<]*)<\/span>/g), fills: all(/<path d="[^"]*" fill="([^"]*)"/g) };
}

async function size(figure: Locator): Promise<readonly [number, number]> {
  const box = await figure.boundingBox();
  return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
}

test("a text box is inserted, typed into, seen by others and undone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter("text-box"), world.enter("text-box")]);
  await ann.select("B3");
  await ann.choose("Insert$", "Text box");
  const field = ann.page.getByRole("textbox", { name: "Text of the shape" });
  await expect(field).toBeFocused();
  await expect(bob.page.getByRole("figure", { name: "Shape" })).toBeVisible();
  await ann.page.keyboard.type("Only yellow cells");
  await ann.press("Enter");
  await ann.page.keyboard.type("1 < 2");
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("Escape");
  const [own, seen] = [ann, bob].map((person) => shape(person, "Only yellow cells 1 < 2"));
  if (!own || !seen) {
    throw new Error("two people");
  }
  await expect(own).toBeFocused();
  await expect.poll(async () => (await drawn(world, "text-box")).texts).toEqual(["Only yellow cells", "1 &lt; 2"]);
  await expect.poll(() => isDrawn(seen)).toBe(true);
  // The text is edited again by a double click; leaving the field keeps it.
  await own.dblclick();
  await expect(field).toHaveValue("Only yellow cells\n1 < 2");
  await ann.page.keyboard.type(" and 3");
  await ann.click("H12");
  await expect.poll(async () => (await drawn(world, "text-box")).texts).toEqual(["Only yellow cells", "1 &lt; 2 and 3"]);
  await ann.press("Control+z");
  await expect.poll(async () => (await drawn(world, "text-box")).texts).toEqual(["Only yellow cells", "1 &lt; 2"]);
});

test("keys that are pressed while the server draws a new text box are typed into it", async ({ world }) => {
  const ann = await world.enter("early");
  await ann.select("B3");
  let draw = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => {
    draw = resolve;
  });
  await ann.page.route(/\/rooms\/early\/shapes$/, async (route) => {
    await isHeld;
    await route.continue();
  });
  await ann.choose("Insert$", "Text box");
  await expect(ann.page.getByRole("textbox", { name: "Text of the shape" })).toBeFocused();
  await ann.page.keyboard.type("At once");
  await ann.press("Control+Enter");
  draw();
  await expect(shape(ann, "At once")).toBeFocused();
  expect((await drawn(world, "early")).texts).toEqual(["At once"]);
  await ann.sees("B3", [[""]]);
});

test("a shape is inserted, formatted and rotated with the keyboard", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter("keyboard"), world.enter("keyboard")]);
  await ann.select("C4");
  await ann.page.getByRole("button", { name: "Insert", exact: true }).focus();
  await ann.press("Enter");
  await ann.page.getByRole("menuitem", { name: "Shape…" }).focus();
  await ann.press("Enter");
  await expect(ann.page.getByRole("button", { name: "Rectangle", exact: true })).toBeFocused();
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("ArrowRight", "ArrowRight", "Enter");
  const figure = ann.page.getByRole("figure", { name: "Shape" });
  await expect(figure).toBeFocused();
  await ann.press("F2");
  await expect(ann.page.getByRole("textbox", { name: "Text of the shape" })).toBeFocused();
  await ann.page.keyboard.type("Start");
  await ann.press("Control+Enter");
  const [own, seen] = [shape(ann, "Start"), shape(bob, "Start")];
  await expect(own).toBeFocused();
  await ann.press("Enter");
  const panel = ann.page.getByRole("complementary", { name: "Shape" });
  await expect(panel.getByLabel("Text", { exact: true })).toBeFocused();
  await panel.getByLabel("Fill colour").fill("#ffcc00");
  await expect.poll(async () => (await drawn(world, "keyboard")).fills).toEqual(["#ffcc00"]);
  await panel.getByRole("checkbox", { name: "No fill" }).press("Space");
  await expect.poll(async () => (await drawn(world, "keyboard")).fills).toEqual(["none"]);
  await ann.page.getByRole("button", { name: "Undo" }).first().click();
  await expect.poll(async () => (await drawn(world, "keyboard")).fills).toEqual(["#ffcc00"]);
  await expect(panel.getByRole("checkbox", { name: "No fill" })).not.toBeChecked();
  const [before, middle] = [await size(seen), await seen.boundingBox()];
  await panel.getByRole("button", { name: "Rotate 90° right" }).press("Enter");
  // The outline is turned with the shape; it is outside of the box then.
  await expect.poll(async () => (await size(seen))[1] - before[0]).toBe(2);
  const turned = await seen.boundingBox();
  const center = (box: typeof turned) => box && Math.round(box.x + box.width / 2);
  expect(center(turned)).toBe(center(middle));
  await expect(panel.getByLabel("Rotation in degrees")).toHaveValue("90");
  expect(await violations(ann.page)).toEqual([]);
});

test("an image is cropped, rotated and reset", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter("crop"), world.enter("crop")]);
  await ann.select("B3");
  const buffer = Buffer.from(await picture(ann.page, 200, 100), "base64");
  const chooser = ann.page.waitForEvent("filechooser");
  await ann.choose("Insert$", "Image…");
  await (await chooser).setFiles({ name: "stand.png", mimeType: "image/png", buffer });
  await expect.poll(() => pixelsOf(bob)).toEqual([200]);
  const [own, seen] = [ann, bob].map((person) => person.page.getByRole("figure", { name: "stand" }));
  if (!own || !seen) {
    throw new Error("two people");
  }
  const before = await seen.boundingBox();
  await own.focus();
  await ann.press("Enter");
  const panel = ann.page.locator(".panel");
  const set = async (label: string, value: string): Promise<void> => {
    await panel.getByLabel(label, { exact: true }).fill(value);
    await panel.getByLabel(label, { exact: true }).blur();
  };
  await panel.getByLabel("Left").fill("25");
  await panel.getByLabel("Left").press("Tab");
  await expect.poll(() => size(seen)).toEqual([150, 100]);
  await expect(panel.getByLabel("Right", { exact: true })).toBeFocused();
  expect((await seen.boundingBox())?.x).toBeCloseTo((before?.x ?? 0) + 50, 1);
  await set("Bottom", "10");
  await expect.poll(() => size(seen)).toEqual([150, 90]);
  await set("Rotation in degrees", "90");
  await expect.poll(() => size(seen)).toEqual([90, 150]);
  await expect.poll(() => isDrawn(seen)).toBe(true);
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByRole("button", { name: "Reset image" }).click();
  await expect.poll(() => size(seen)).toEqual([200, 100]);
  await expect.poll(() => pixelsOf(bob)).toEqual([200]);
  await expect(bob.page.getByRole("figure", { name: "Image: stand" })).toBeVisible();
  await set("Top", "50");
  await expect.poll(() => size(seen)).toEqual([200, 50]);
  expect((await seen.boundingBox())?.y).toBeCloseTo((before?.y ?? 0) + 50, 1);
  // The exported file has the whole picture and what is cropped of it.
  const api = `${world.server.url}/api/v1/rooms`;
  const exported = await fetch(`${api}/crop?format=xlsx`);
  await fetch(`${api}/crop-again`, { method: "PUT", headers: { "content-type": exported.headers.get("content-type") ?? "" }, body: await exported.arrayBuffer() });
  const source = await sourceOf(world, "crop-again");
  expect(await (await fetch(`${api}/crop-again/shapes/${source}`)).json()).toMatchObject({
    kind: "picture",
    attributes: { crop: { left: 0, top: 0.5, right: 0, bottom: 0 }, rotation: 0 },
  });
});

test("viewers and people without a connection cannot change a shape", async ({ world }) => {
  const ann = await world.enter("viewed-shape");
  await ann.select("B3");
  await ann.choose("Insert$", "Text box");
  await expect(ann.page.getByRole("textbox", { name: "Text of the shape" })).toBeFocused();
  await ann.page.keyboard.type("Read this");
  await ann.press("Escape");
  await expect(shape(ann, "Read this")).toBeVisible();
  await ann.press("Enter");
  const panel = ann.page.getByRole("complementary", { name: "Shape" });
  await expect(panel.getByLabel("Text", { exact: true })).toBeEnabled();
  await ann.page.context().setOffline(true);
  await expect(panel.getByLabel("Text", { exact: true })).toBeDisabled();
  await ann.page.getByRole("button", { name: "Insert", exact: true }).click();
  await expect(ann.page.getByRole("menuitem", { name: "Text box" })).toHaveAttribute("aria-disabled", "true");
  await ann.press("Escape");
  await ann.page.context().setOffline(false);
  await expect(panel.getByLabel("Text", { exact: true })).toBeEnabled();
  await world.server.change("--default-role", "view");
  const bob = await world.arrive(`${world.server.url}/viewed-shape`);
  await shape(bob, "Read this").focus();
  await bob.press("F2", "Enter");
  const shown = bob.page.getByRole("complementary", { name: "Shape" });
  await expect(shown.getByLabel("Text", { exact: true })).toBeDisabled();
  await expect(shown).toContainText("You can view this workbook but not edit it.");
  await expect(bob.page.getByRole("textbox", { name: "Text of the shape" })).toHaveCount(0);
});
