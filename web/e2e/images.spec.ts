import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { give, picture, pixelsOf } from "./image-files.ts";
import { expect, type User, test } from "./user.ts";

/** Inserts an image into the selected cell by the menu. */
async function insert(person: User, name: string, width = 200, height = 100): Promise<void> {
  const buffer = Buffer.from(await picture(person.page, width, height), "base64");
  const chooser = person.page.waitForEvent("filechooser");
  await person.page.getByRole("button", { name: "Insert", exact: true }).click();
  await person.page.getByRole("menuitem", { name: "Image…" }).click();
  await (await chooser).setFiles({ name, mimeType: "image/png", buffer });
}

async function box(person: User) {
  const found = await person.page.getByRole("figure").boundingBox();
  return found && { x: Math.round(found.x), y: Math.round(found.y), width: Math.round(found.width), height: Math.round(found.height) };
}

/** Expects the image's corner at the corner of this cell. */
async function liesOn(person: User, cell: string): Promise<void> {
  const { x, y } = await person.point(cell);
  await expect.poll(async () => {
    const found = await box(person);
    return found && Math.abs(found.x - (x - 48)) <= 1 && Math.abs(found.y - (y - 11)) <= 1;
  }).toBe(true);
}

test("an inserted image appears for everyone, moves with its row and can be undone", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("B3");
  await insert(ann, "our-stand.png");
  await expect(bob.page.getByRole("figure", { name: "Image: our stand" })).toBeVisible();
  await expect.poll(() => pixelsOf(bob)).toEqual([200]);
  await liesOn(bob, "B3");
  expect(await box(bob)).toMatchObject({ width: 200, height: 100 });
  await command(bob.page, { type: "insertRows", sheet: 1, at: 0, count: 2 });
  await liesOn(ann, "B5");
  await command(bob.page, { type: "deleteRows", sheet: 1, at: 0, count: 2 });
  await liesOn(ann, "B3");
  await ann.page.getByRole("figure").focus();
  await ann.press("Delete");
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
  await ann.press("Control+z");
  await expect.poll(() => pixelsOf(bob)).toEqual([200]);
  await ann.saved();
  // A later visitor loads the image from the server.
  const cat = await world.enter();
  await expect.poll(() => pixelsOf(cat)).toEqual([200]);
});

test("an image is moved and resized proportionally with mouse and keyboard", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("B3");
  await insert(ann, "stand.png");
  await expect(bob.page.getByRole("figure")).toBeVisible();
  const first = await box(ann);
  if (!first) {
    throw new Error("no image on the page");
  }
  await ann.page.mouse.move(first.x + 40, first.y + 40);
  await ann.page.mouse.down();
  await ann.page.mouse.move(first.x + 90, first.y + 70, { steps: 4 });
  await ann.page.mouse.up();
  await expect.poll(() => box(bob)).toEqual({ ...first, x: first.x + 50, y: first.y + 30 });
  const moved = { ...first, x: first.x + 50, y: first.y + 30 };
  await ann.page.mouse.move(moved.x + moved.width, moved.y + moved.height);
  await ann.page.mouse.down();
  await ann.page.mouse.move(moved.x + moved.width + 100, moved.y + moved.height + 10, { steps: 4 });
  await ann.page.mouse.up();
  await expect.poll(() => box(bob)).toEqual({ ...moved, width: 300, height: 150 });
  await ann.page.getByRole("figure").focus();
  await ann.press("ArrowRight", "ArrowDown");
  await expect.poll(() => box(bob)).toEqual({ x: moved.x + 10, y: moved.y + 10, width: 300, height: 150 });
  await ann.press("Escape");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
});

test("in a right-to-left sheet an image starts at the right edge of its cell", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await command(ann.page, { type: "setItem", sheet: 1, item: 0, kind: "sheetSettings", anchors: [], fields: { rightToLeft: true } });
  await ann.select("B3");
  await insert(ann, "stand.png");
  // The row headers are on the right, and column B ends one column from them.
  await expect.poll(async () => {
    const [grid, found] = [await bob.page.locator("main.grid").boundingBox(), await box(bob)];
    return grid && found && Math.abs(grid.x + grid.width - 44 - 96 - (found.x + found.width)) <= 20;
  }).toBe(true);
  const first = await box(bob);
  if (!first) {
    throw new Error("no image on the page");
  }
  await ann.page.getByRole("figure").focus();
  await ann.press("Shift+ArrowLeft");
  // Grows by ten pixels to the left and five down; the right edge keeps its position.
  await expect.poll(() => box(bob)).toEqual({ ...first, x: first.x - 10, width: 210, height: 105 });
  await ann.press("ArrowRight");
  await expect.poll(() => box(bob)).toEqual({ x: first.x, y: first.y, width: 210, height: 105 });
});

test("an image is pasted and dropped, also with accompanying HTML", async ({ world }) => {
  const ann = await world.enter();
  const base64 = await picture(ann.page, 60, 40);
  await ann.select("C4");
  await give(ann, "paste", { type: "image/png", base64, html: '<img src="https://example.org/x.png">' });
  await liesOn(ann, "C4");
  await expect.poll(() => pixelsOf(ann)).toEqual([60]);
  await ann.page.getByRole("figure").focus();
  await ann.press("Delete");
  await expect(ann.page.getByRole("figure")).toHaveCount(0);
  await give(ann, "drop", { type: "image/png", base64 }, "D6");
  await liesOn(ann, "D6");
  await expect(ann.page.getByRole("dialog"), "it is not taken for a workbook").toHaveCount(0);
});

test("SVG and files that are not images are rejected with a message", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("A1");
  await give(ann, "paste", { type: "image/png", base64: "iVBORw==" });
  await expect(ann.page.getByText("This browser cannot read the image.")).toBeVisible();
  await give(ann, "drop", { type: "image/svg+xml", base64: btoa("<svg xmlns='http://www.w3.org/2000/svg'/>") }, "B2");
  await expect(ann.page.getByText(/^SVG images are not accepted/)).toBeVisible();
  await expect(ann.page.getByRole("figure")).toHaveCount(0);
});

test("the image panel changes alternative text and size, and fits the image to its cell", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.select("B2");
  await insert(ann, "stand.png");
  await ann.page.getByRole("figure").dblclick();
  const panel = ann.page.getByRole("complementary", { name: "Image" });
  await panel.getByLabel("Alternative text").fill("Our stand in Oslo");
  await panel.getByLabel("Alternative text").blur();
  await expect(bob.page.getByRole("figure", { name: "Image: Our stand in Oslo" })).toBeVisible();
  await panel.getByLabel("Width").fill("100");
  await panel.getByLabel("Width").blur();
  await expect.poll(() => box(bob)).toMatchObject({ width: 100, height: 50 });
  expect(await violations(ann.page)).toEqual([]);
  await panel.getByLabel("Place in cell").check();
  await expect.poll(() => box(bob)).toMatchObject({ width: 91, height: 17 });
  await panel.getByRole("button", { name: "Delete image" }).click();
  await expect(bob.page.getByRole("figure")).toHaveCount(0);
});

test("missing and external images show a message and cause no request", async ({ world }) => {
  const ann = await world.enter();
  const requestedUrls: string[] = [];
  ann.page.on("request", (request) => requestedUrls.push(request.url()));
  await command(ann.page, { type: "setItem", sheet: 1, item: 7, kind: "image", anchors: ["B2"], fields: { source: "https://example.org/track.png" } });
  await expect(ann.page.getByRole("figure")).toHaveText("This image cannot be displayed.");
  await command(ann.page, { type: "setItem", sheet: 1, item: 7, fields: { source: "0".repeat(64) } });
  await expect.poll(() => requestedUrls.some((url) => url.includes("0".repeat(64)))).toBe(true);
  await expect(ann.page.getByRole("figure")).toHaveText("This image cannot be displayed.");
  expect(requestedUrls.filter((url) => url.includes("example.org"))).toEqual([]);
});

test("an image is printed", async ({ world }) => {
  const ann = await world.enter();
  await ann.select("B2");
  await insert(ann, "stand.png");
  await expect(ann.page.getByRole("figure")).toBeVisible();
  await ann.press("Escape", "Control+p");
  const page = ann.page.getByRole("dialog", { name: "Print" }).getByRole("img", { name: "1 / 1" });
  await expect(page.locator("image[href^='data:image/png'][width='200']")).toHaveCount(1);
});

test("keyboard navigation scrolls to an image outside the view", async ({ world }) => {
  const ann = await world.enter();
  const base64 = await picture(ann.page, 60, 40);
  const source = `data:image/png;base64,${base64}`;
  await command(ann.page, { type: "setItem", sheet: 1, kind: "image", anchors: ["AZ200"], fields: { source, width: 60, height: 40 } });
  await expect(ann.page.getByRole("figure")).toBeAttached();
  await ann.page.getByRole("figure").focus();
  await expect(ann.cell("AZ200")).toBeAttached();
  await expect.poll(async () => {
    const [grid, found] = [await ann.page.locator("main.grid").boundingBox(), await box(ann)];
    return grid && found && found.x > grid.x && found.x < grid.x + grid.width && found.y > grid.y && found.y < grid.y + grid.height;
  }).toBe(true);
});
