/** Chips: dropdown lists whose choices have colours. */

import type { ItemValue } from "@quadrille/protocol";
import { violations } from "./axe.ts";
import { command } from "./commands.ts";
import { pixels } from "./canvas-pixels.ts";
import { expect, test, User } from "./user.ts";

const GREEN = [0x2a, 0x91, 0x7a] as const;
const RED = [0xcc, 0x3d, 0x3d] as const;
const LIST = { rule: "list", displayStyle: "chip", choices: ["To do", "Doing", "Done"], choiceColors: [{ value: "Done", color: "#2a917a" }] };

const RATING = { rule: "whole", formula1: "=0", formula2: "=5", displayStyle: "rating" };

const setList = (person: User, anchors: string[], fields: Record<string, ItemValue>): Promise<unknown> =>
  command(person.page, { type: "setItem", sheet: 1, kind: "validation", anchors, fields });

test("a colour that is set in the dialog is seen by everyone, and undone", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.select("A1:A9");
  await ann.choose("Data", "Data validation…");
  const dialog = ann.page.getByRole("dialog", { name: "Data validation" });
  const choices = dialog.getByRole("group", { name: "Choices" });
  // Several lines make several choices.
  await choices.getByRole("textbox").focus();
  await ann.page.evaluate(() => navigator.clipboard.writeText("Done\nTo do\nDoing"));
  await ann.press("Control+v");
  await expect(choices.getByRole("textbox")).toHaveCount(3);
  await choices.getByRole("button", { name: "Move Done down" }).click();
  await choices.getByRole("button", { name: "Move Done down" }).click();
  await expect(choices.getByRole("textbox").nth(2)).toHaveValue("Done");
  await choices.getByRole("button", { name: "Colour of Done" }).press("Enter");
  await choices.getByRole("button", { name: "#2a917a" }).press("Enter");
  await expect(choices.getByRole("button", { name: "Colour of Done" })).toBeFocused();
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await ann.type("A2", [["Done"]]);
  await bob.seesInCell("A2", "Done");
  await expect.poll(() => pixels(bob, "A2", GREEN)).toBeGreaterThan(150);
  await expect.poll(() => pixels(bob, "A3", GREEN)).toBe(0);
  // Another colour, and the first one again.
  await ann.select("A2");
  await ann.press("Alt+ArrowDown");
  await ann.page.getByRole("button", { name: "Edit choices…" }).click();
  await choices.getByRole("button", { name: "Colour of Done" }).click();
  await choices.getByRole("button", { name: "#cc3d3d" }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => pixels(bob, "A2", RED)).toBeGreaterThan(150);
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await ann.press("Control+z");
  await expect.poll(() => pixels(bob, "A2", RED)).toBe(0);
  await expect.poll(() => pixels(bob, "A2", GREEN)).toBeGreaterThan(150);
});

test("typing filters the choices of a cell with chips, and Enter chooses", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], LIST);
  await ann.select("A1");
  await ann.page.keyboard.type("do");
  const options = ann.page.getByRole("listbox", { name: "Dropdown list" }).getByRole("option");
  await expect(options).toHaveText(["Doing", "Done", "To do"]);
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("ArrowDown", "Enter");
  await ann.seesInCell("A1", "Done");
  // The next cell.
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A2");
  // A value that is not in the list is rejected.
  await ann.page.keyboard.type("xyz");
  await expect(ann.page.getByRole("status").getByText("No matches")).toBeVisible();
  await ann.press("Enter", "Enter");
  await expect(ann.page.getByRole("dialog", { name: "Invalid value" })).toContainText("You typed: xyz");
});

test("a press on a chip opens its list, and a drag from it selects cells", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], LIST);
  await ann.type("A1", [["Done"], ["Doing"]]);
  await ann.select("C1");
  const at = await ann.point("A1");
  const { x, y } = { x: at.x - 30, y: at.y };
  await ann.page.mouse.click(x, y);
  const list = ann.page.getByRole("listbox", { name: "Dropdown list" });
  await list.getByRole("option", { name: "To do" }).click();
  await ann.seesInCell("A1", "To do");
  await expect(list).toHaveCount(0);
  await ann.page.mouse.move(x, y);
  await ann.page.mouse.down();
  await ann.page.mouse.move(x + 4, y + 24, { steps: 3 });
  await ann.page.mouse.up();
  await expect(list).toHaveCount(0);
  await expect(ann.cell("A2")).toHaveAttribute("aria-selected", "true");
});

test("several choices of a cell are several chips", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await setList(ann, ["A1:A9"], { ...LIST, allowMultiple: true, choiceColors: [...LIST.choiceColors, { value: "To do", color: "#cc3d3d" }] });
  await ann.select("A1");
  await ann.press("Alt+ArrowDown", "Enter", "ArrowDown", "ArrowDown", "Enter");
  await expect(ann.page.getByRole("listbox", { name: "Dropdown list" }).getByRole("option", { selected: true })).toHaveText(["To do", "Done"]);
  await ann.press("Escape");
  await bob.seesInCell("A1", "To do, Done");
  await expect(bob.cell("A1")).not.toHaveAttribute("aria-invalid");
  await expect.poll(() => pixels(bob, "A1", RED)).toBeGreaterThan(60);
  await expect.poll(() => pixels(bob, "A1", GREEN)).toBeGreaterThan(60);
  await command(bob.page, { type: "typeText", sheet: 1, cell: "A2", text: "Done, Nothing" });
  await expect(ann.cell("A2")).toHaveAttribute("aria-invalid", "true");
});

test("a list at the lower end of the sheet opens upwards", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A99"], { ...LIST, choices: Array.from({ length: 30 }, (_, index) => `Choice ${index + 1}`) });
  const grid = await ann.page.locator("main.grid").boundingBox();
  const row = Math.floor(((grid?.height ?? 0) - 24) / 22) - 3;
  await ann.select(`A${row}`);
  await ann.press("Alt+ArrowDown");
  const edit = ann.page.getByRole("button", { name: "Edit choices…" });
  await edit.waitFor();
  const box = await edit.boundingBox();
  const { y } = await ann.point(`A${row}`);
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(y);
  await expect(ann.page.getByRole("combobox", { name: "Filter the list" })).toBeInViewport();
});

test("chips are printed in their colours, without arrows", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], LIST);
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "A1", texts: [["Done"], ["To do"]] });
  await ann.seesInCell("A2", "To do");
  await ann.press("Control+p");
  const dialog = ann.page.getByRole("dialog", { name: "Print" });
  await expect(dialog).toBeVisible();
  const chip = ann.page.locator('svg path[fill="#2a917a"]').first();
  await expect(chip).toBeAttached();
  // Both ends are round; an arrow would be another path in the ink of the chip.
  await expect(chip).toHaveAttribute("d", /^M[^M]*a[^M]*a[^M]*a[^M]*a[^M]*Z$/);
  await expect(ann.page.locator("svg text").filter({ hasText: "Done" }).first()).toHaveAttribute("fill", "#000000");
  await expect(ann.page.locator('svg path[fill="#000000"]')).toHaveCount(0);
});

const STAR = [0xa8, 0x5b, 0x00] as const;

test("a press on a star rates a cell, another one removes the rating, and everyone sees it", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.select("A1:A9");
  await ann.choose("Data", "Data validation…");
  const dialog = ann.page.getByRole("dialog", { name: "Data validation" });
  await dialog.getByRole("combobox", { name: "Allow" }).selectOption("Rating");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Apply" }).click();
  await bob.seesInCell("A1", "no rating");
  // The middle of the cell is the third star.
  await ann.click("A1");
  await bob.seesInCell("A1", "3 of 5 stars");
  await expect.poll(() => pixels(bob, "A1", STAR)).toBeGreaterThan(100);
  await ann.click("A1");
  await bob.seesInCell("A1", "no rating");
  await ann.press("Control+z");
  await bob.seesInCell("A1", "3 of 5 stars");
  // The value is a number.
  await ann.type("A2", [["4"]]);
  await ann.type("C1", [["=SUM(A1:A9)"]]);
  await ann.seesInCell("C1", "7");
  await ann.select("A3");
  await ann.page.keyboard.type("6");
  await ann.press("Enter");
  await expect(ann.page.getByRole("dialog", { name: "Invalid value" })).toContainText("You typed: 6");
  await ann.press("Escape");
  // Large stars by keys.
  await ann.select("A4");
  await ann.press("Alt+ArrowDown");
  const stars = ann.page.getByRole("group", { name: "Rating" });
  await expect(stars.getByRole("button", { name: "1 of 5 stars" })).toBeFocused();
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("ArrowRight", "Enter");
  await bob.seesInCell("A4", "2 of 5 stars");
  await expect(stars).toHaveCount(0);
});

test("a press on a star of a protected cell, or by a viewer, changes nothing", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], RATING);
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "A1", texts: [["2"], ["4"]] });
  await command(ann.page, { type: "setItem", sheet: 1, kind: "protectedRange", anchors: ["A1"], fields: { description: "Judged" } });
  await expect(ann.cell("A1")).toHaveAttribute("aria-readonly", "true");
  await ann.click("A1");
  await expect(ann.page.getByText(/These cells are protected\. Judged/)).toBeVisible();
  await ann.press("Alt+ArrowDown");
  await expect(ann.page.getByRole("group", { name: "Rating" })).toHaveCount(0);
  await ann.sees("A1", [["2 of 5 stars"], ["4 of 5 stars"]]);
  await ann.saved();
  const page = await ann.context.newPage();
  await page.goto(`${ann.page.url()}?view`);
  const viewer = new User(page, ann.context);
  await viewer.seesInCell("A2", "4 of 5 stars");
  // A preview shows cells too, before they can be selected.
  await viewer.field.waitFor({ state: "attached" });
  await viewer.click("A2");
  await expect(viewer.nameBox).toHaveValue("A2");
  await viewer.press("Alt+ArrowDown");
  await expect(page.getByRole("group", { name: "Rating" })).toHaveCount(0);
  await viewer.seesInCell("A2", "4 of 5 stars");
  await ann.seesInCell("A2", "4 of 5 stars");
});

test("the star under the pointer is the one that counts in a zoomed sheet", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], RATING);
  const zoom = ann.page.getByRole("combobox", { name: "Zoom" });
  await zoom.selectOption("200%");
  await expect(zoom).toHaveValue("200%");
  const grid = await ann.page.locator("main.grid").boundingBox();
  // The middle of the second cell of the column, which is 192 × 44 pixels large.
  await ann.page.mouse.click((grid?.x ?? 0) + 44 + 96, (grid?.y ?? 0) + 24 + 44 + 22);
  await ann.seesInCell("A2", "3 of 5 stars");
  await ann.seesInCell("A1", "no rating");
});

test("ratings are printed as stars", async ({ world }) => {
  const ann = await world.enter();
  await setList(ann, ["A1:A9"], RATING);
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "A1", texts: [["2"], ["5"]] });
  await ann.seesInCell("A2", "5 of 5 stars");
  await ann.press("Control+p");
  const page = ann.page.getByRole("dialog", { name: "Print" }).getByRole("img", { name: "1 / 1" });
  await expect(page.locator('path[fill="#a85b00"]').first()).toBeAttached();
  await expect(page.locator("text").filter({ hasText: /^[25]$/ })).toHaveCount(0);
});

test("cells of people offer those who are known, with their faces, and any other name", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await setList(ann, ["A1:A9"], { rule: "any", displayStyle: "people" });
  await command(bob.page, { type: "typeTexts", sheet: 1, at: "A1", texts: [["Zoë Quill"]] });
  await ann.seesInCell("A1", "Zoë Quill");
  await expect.poll(() => pixels(ann, "A1", [0xe6, 0xe9, 0xed])).toBeGreaterThan(300);
  await ann.select("A2");
  await ann.page.keyboard.type("@zo");
  const options = ann.page.getByRole("listbox", { name: "Dropdown list" }).getByRole("option");
  await expect(options).toHaveText(["Zoë Quill", "zo"]);
  await expect(options.first().locator(".chip-face")).toHaveAttribute("data-initials", "ZQ");
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("Enter");
  await bob.seesInCell("A2", "Zoë Quill");
  await ann.page.keyboard.type("Ida");
  await expect(options).toHaveText(["Ida"]);
  await ann.press("Enter");
  await bob.seesInCell("A3", "Ida");
  await expect(bob.cell("A3")).not.toHaveAttribute("aria-invalid");
  // Those who are here.
  await ann.select("A4");
  await ann.press("Alt+ArrowDown");
  const own = await bob.page.evaluate(() => (JSON.parse(localStorage.getItem("quadrille.identity") ?? "{}") as { name?: string }).name ?? "");
  await options.getByText(own, { exact: true }).click();
  await ann.seesInCell("A4", own);
});
