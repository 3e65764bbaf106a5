import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("a sheet is shown as a dashboard to everybody, and its cells are not edited by accident", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["Month", "North"], ["May", "30"], ["June", "45"]]);
  await ann.select("B2");
  await ann.page.getByRole("button", { name: "Insert chart" }).click();
  await ann.page.getByRole("complementary", { name: "Chart" }).getByRole("button", { name: "Close", exact: true }).click();
  await ann.type("A6", [["FALSE"], ["No"]]);
  const rule = (cell: string, fields: object): object => ({ type: "setItem", sheet: "Sheet1", kind: "validation", anchors: [cell], fields });
  const commands = [rule("A6", { rule: "checkbox" }), rule("A7", { rule: "list", choices: ["Yes", "No"] })];
  const reply = await fetch(`${world.server.url}/api/v1/rooms${new URL(ann.page.url()).pathname}/commands`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ commands }) });
  expect(await reply.text()).toContain("revision");
  await expect(bob.page.getByRole("figure")).toBeVisible();
  const before = await bob.page.getByRole("figure").boundingBox();

  await ann.choose("View", "Show as dashboard");
  for (const person of [ann, bob]) {
    await expect(person.page.getByRole("textbox", { name: "Formula bar" })).toHaveCount(0);
    await expect(person.page.locator(".workbook")).toHaveClass(/is-dashboard/);
    await expect(person.page.getByRole("button", { name: "Bold" })).toHaveCount(0);
  }
  expect(await violations(bob.page)).toEqual([]);
  // Without headings the cells begin at the corner of the grid.
  const grid = await bob.page.locator("main.grid").boundingBox();
  const at = (column: number, row: number): { x: number; y: number } => ({ x: (grid?.x ?? 0) + column * 96 + 48, y: (grid?.y ?? 0) + row * 22 + 11 });
  const after = await bob.page.getByRole("figure").boundingBox();
  expect(Math.round((before?.x ?? 0) - (after?.x ?? 0))).toBe(44);

  // A double click, a letter and Delete change nothing; the page says why.
  await bob.page.mouse.dblclick(at(0, 1).x, at(0, 1).y);
  await expect(bob.page.getByText(/This sheet is shown as a dashboard/)).toBeVisible();
  await bob.press("x", "Delete", "Control+b");
  await bob.page.evaluate(() => navigator.clipboard.writeText("pasted"));
  await bob.press("Control+v");
  await bob.sees("A1", [["Month", "North"], ["May", "30"], ["June", "45"]]);
  // Nor is the chart moved or deleted.
  const middle = { x: (after?.x ?? 0) + 100, y: (after?.y ?? 0) + 12 };
  await bob.page.mouse.move(middle.x, middle.y);
  await bob.page.mouse.down();
  await bob.page.mouse.move(middle.x + 60, middle.y + 40, { steps: 4 });
  await bob.page.mouse.up();
  await bob.press("Delete");
  expect(await bob.page.getByRole("figure").boundingBox()).toEqual(after);
  // A checkbox works, by a press and by the keyboard.
  await bob.page.mouse.click(at(0, 5).x, at(0, 5).y);
  await ann.seesInCell("A6", "checked");
  await bob.press(" ");
  await ann.seesInCell("A6", "not checked");
  await bob.press("ArrowDown", "Alt+ArrowDown");
  await bob.page.getByRole("listbox", { name: "Dropdown list" }).getByRole("option", { name: "Yes" }).click();
  await ann.seesInCell("A7", "Yes");

  // Another sheet is one to edit; this one is again after the same entry.
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toBeVisible();
  await ann.type("A1", [["x"]]);
  await ann.page.getByRole("tab", { name: "Sheet1" }).click();
  await expect(ann.page.getByRole("textbox", { name: "Formula bar" })).toHaveCount(0);
  await ann.choose("View", "Show as dashboard");
  await expect(bob.page.getByRole("textbox", { name: "Formula bar" })).toBeVisible();
  await bob.type("A2", [["April"]]);
  await ann.seesInCell("A2", "April");
});

test("the selection of a dashboard is visible while the keyboard moves it", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("View", "Show as dashboard");
  await expect(ann.page.locator(".workbook")).toHaveClass(/is-dashboard/);
  const isPainted = (): Promise<boolean> =>
    ann.page.locator("main.grid canvas").first().evaluate((canvas) => {
      const drawn = canvas as HTMLCanvasElement;
      const pixels = new Uint32Array(drawn.getContext("2d")?.getImageData(0, 0, drawn.width, drawn.height).data.buffer ?? new ArrayBuffer(0));
      return new Set(pixels).size > 1;
    });
  const box = await ann.page.locator("main.grid").boundingBox();
  await ann.page.mouse.click((box?.x ?? 0) + 150, (box?.y ?? 0) + 60);
  await expect.poll(isPainted).toBe(false);
  await ann.press("ArrowDown");
  await expect.poll(isPainted).toBe(true);
  await ann.page.mouse.click((box?.x ?? 0) + 150, (box?.y ?? 0) + 100);
  await expect.poll(isPainted).toBe(false);
});
