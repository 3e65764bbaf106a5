import { violations } from "./axe.ts";
import { pixels } from "./canvas-pixels.ts";
import { expect, test } from "./user.ts";

const RED = [255, 0, 0] as const;
const BLUE = [0, 0, 255] as const;

test("a sparkline is drawn, announced and updated", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["3", "-2", "8"]]);
  await ann.type("D1", [['=SPARKLINE(A1:C1,{"charttype","column";"color","red";"negcolor","#00f"})']]);
  await bob.seesInCell("D1", "Sparkline: 3, -2, 8");
  await expect.poll(() => pixels(bob, "D1", RED)).toBeGreaterThan(40);
  await expect.poll(() => pixels(bob, "D1", BLUE)).toBeGreaterThan(10);
  // Text for other programs is rounded; the drawing and the description are exact.
  await ann.type("C1", [["8.01"]]);
  await bob.seesInCell("D1", "Sparkline: 3, -2, 8.01");
  await ann.type("B1", [["2"]]);
  await bob.seesInCell("D1", "Sparkline: 3, 2, 8.01");
  await expect.poll(() => pixels(bob, "D1", BLUE)).toBe(0);
});

test("line, bar and win/loss sparklines are drawn, and errors are shown", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1", "5", "-2"]]);
  await ann.type("A3", [
    ['=SPARKLINE(A1:C1,{"color","red";"linewidth",3})'],
    ['=SPARKLINE(A1:B1,{"charttype","bar";"color1","red";"color2","blue"})'],
    ['=SPARKLINE(A1:C1,{"charttype","winloss";"color","red";"negcolor","blue"})'],
    ['=SPARKLINE(A1:C1,{"charttype","pie"})'],
  ]);
  await ann.seesInCell("A6", "#VALUE!");
  await expect.poll(() => pixels(ann, "A3", RED)).toBeGreaterThan(40);
  await expect.poll(() => pixels(ann, "A4", BLUE)).toBeGreaterThan(4 * (await pixels(ann, "A4", RED)));
  await expect.poll(() => pixels(ann, "A5", BLUE)).toBeGreaterThan(40);
  await ann.press("Control+`");
  await ann.seesInCell("A3", /^=SPARKLINE/);
  await expect.poll(() => pixels(ann, "A3", RED)).toBe(0);
});

test("sparkline colours are lightened in the dark theme", async ({ world }) => {
  const ann = await world.enter();
  await ann.page.emulateMedia({ colorScheme: "dark" });
  await ann.type("A1", [["1", "5", '=SPARKLINE(A1:B1,{"charttype","bar";"color1","#000080"})']]);
  await expect.poll(() => pixels(ann, "C1", [128, 128, 192])).toBeGreaterThan(40);
});

test("the dialog writes one sparkline formula per row", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [
    ["1", "4", "2"],
    ["5", "3", "6"],
  ]);
  await ann.select("A1:C2");
  await ann.page.getByRole("button", { name: "Insert", exact: true }).click();
  await ann.page.getByRole("menuitem", { name: "Sparkline…" }).click();
  const dialog = ann.page.getByRole("dialog", { name: "Sparkline" });
  await expect(dialog.getByLabel("Data range")).toHaveValue("A1:C2");
  await expect(dialog.getByLabel("Location cell")).toHaveValue("D1:D2");
  await dialog.getByLabel("Type").selectOption("Columns");
  await dialog.getByLabel("Colour", { exact: true }).fill("#ff0000");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByLabel("Location cell").fill("D1:D3");
  await expect(dialog.getByRole("button", { name: "Insert" })).toBeDisabled();
  await dialog.getByLabel("Location cell").fill("D1:D2");
  await dialog.getByRole("button", { name: "Insert" }).click();
  await bob.sees("D1", [["Sparkline: 1, 4, 2"], ["Sparkline: 5, 3, 6"]]);
  await bob.select("D2");
  await bob.formula('=SPARKLINE(A2:C2,{"charttype","column";"color","#ff0000"})');
  await ann.press("Control+z");
  await bob.sees("D1", [[""], [""]]);
});

test("a sparkline is printed", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["3", "8", '=SPARKLINE(A1:B1,{"charttype","column";"color","#fe0000"})']]);
  await ann.seesInCell("C1", "Sparkline: 3, 8");
  await ann.press("Control+p");
  const page = ann.page.getByRole("dialog", { name: "Print" }).getByRole("img", { name: "1 / 1" });
  await expect(page.locator("[fill='#fe0000']")).not.toHaveCount(0);
  await expect(page).not.toContainText("█");
});
