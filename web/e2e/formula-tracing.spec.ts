import type { Locator } from "@playwright/test";
import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

/** The lines of the arrows, each with the class of errors or other sheets. */
const arrows = (person: User): Locator => person.page.locator(".trace-arrows line");

/** Whether an arrow leads from the middle of one cell to that of another. */
async function leads(person: User, from: string, to: string): Promise<boolean> {
  const [start, end] = await Promise.all([person.point(from), person.point(to)]);
  const lines = await arrows(person).evaluateAll((elements) =>
    elements.map((element) => {
      const line = element as SVGLineElement;
      const matrix = line.getScreenCTM();
      const at = (x: number, y: number) => (matrix ? new DOMPoint(x, y).matrixTransform(matrix) : new DOMPoint());
      const first = at(line.x1.baseVal.value, line.y1.baseVal.value);
      const last = at(line.x2.baseVal.value, line.y2.baseVal.value);
      return { first: { x: first.x, y: first.y }, last: { x: last.x, y: last.y } };
    }),
  );
  const isNear = (a: { x: number; y: number }, b: { x: number; y: number }): boolean => Math.abs(a.x - b.x) < 3 && Math.abs(a.y - b.y) < 3;
  return lines.some(({ first, last }) => isNear(first, start) && isNear(last, end));
}

test("arrows lead from precedents to a formula, level by level, and follow edits of others", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  await ann.type("A1", [["1"], ["2"], ["=A1+A2"], ["=A3*2"]]);
  await bob.seesInCell("A4", "6");
  await ann.select("A4");
  await ann.choose("Data", "Trace precedents");
  await expect(arrows(ann)).toHaveCount(1);
  expect(await leads(ann, "A3", "A4")).toBe(true);
  await expect(ann.page.getByRole("log", { name: "Cell changes" })).toHaveText("Precedents: A3");
  expect(await violations(ann.page)).toEqual([]);
  // The same command again shows one level more.
  await ann.choose("Data", "Trace precedents");
  await expect(arrows(ann)).toHaveCount(3);
  expect(await leads(ann, "A1", "A3")).toBe(true);
  await ann.choose("Data", "Trace precedents");
  await expect(ann.page.getByText("There are no further levels.")).toBeVisible();
  await expect(arrows(ann)).toHaveCount(3);
  // Only Ann sees them, and they follow what others do.
  await expect(arrows(bob)).toHaveCount(0);
  await bob.type("C2", [["7"]]);
  await bob.type("A4", [["=A3*C2"]]);
  await expect(arrows(ann)).toHaveCount(4);
  await expect.poll(() => leads(ann, "C2", "A4")).toBe(true);
  await bob.select("A1:A1");
  await bob.choose("Insert$", "Rows above");
  await expect(ann.cell("A5")).toHaveText("21");
  await expect.poll(() => leads(ann, "A4", "A5")).toBe(true);
  // Without the formula there are no arrows until it is back.
  await ann.type("A5", [["1"]]);
  await expect(arrows(ann)).toHaveCount(0);
  await ann.press("Control+z");
  await expect(arrows(ann)).toHaveCount(4);
  await ann.choose("Data", "Remove arrows");
  await expect(arrows(ann)).toHaveCount(0);
});

test("arrows lead to dependents, over ranges, errors and other sheets", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["=1/0", "=A1"], ["2", "=SUM(A1:A3)"], ["3", ""]]);
  await ann.select("A2");
  await ann.choose("Data", "Trace dependents");
  await expect(arrows(ann)).toHaveCount(1);
  expect(await leads(ann, "A2", "B2")).toBe(true);
  await ann.select("B2");
  await ann.choose("Data", "Trace precedents");
  // The range has a frame, and an error in it colors the arrow.
  await expect(ann.page.locator(".trace-arrows rect")).toHaveCount(1);
  await expect(ann.page.locator(".trace-arrows .is-error")).toHaveCount(1);
  await ann.choose("Data", "Remove arrows");
  await ann.select("D5");
  await ann.choose("Data", "Trace dependents");
  await expect(ann.page.getByText("No formula refers to this cell.")).toBeVisible();
  await ann.page.getByRole("button", { name: "Add sheet" }).click();
  await ann.type("C3", [["=Sheet1!A2*2"]]);
  await ann.select("C3");
  await ann.choose("Data", "Trace precedents");
  await ann.page.getByRole("button", { name: "Go to Sheet1!A2" }).click();
  await expect(ann.page.getByRole("tab", { name: "Sheet1" })).toHaveAttribute("aria-selected", "true");
  // The other end of the same arrow.
  await ann.page.getByRole("button", { name: "Go to Sheet2!C3" }).click();
  await expect(ann.page.getByRole("tab", { name: "Sheet2" })).toHaveAttribute("aria-selected", "true");
});

test("a formula is evaluated step by step, and the cells that it refers to", async ({ world }) => {
  const ann = await world.enter();
  // The example of Microsoft's support pages, with a formula in D2.
  await ann.type("D2", [["=50+5", "145"], ["35", "230"], ["45", "200"], ["25", "190"]]);
  await ann.type("A1", [["=IF(AVERAGE(D2:D5)>50,SUM(E2:E5),D2)"]]);
  await ann.select("A1");
  await ann.choose("Data", "Evaluate formula…");
  const dialog = ann.page.getByRole("dialog", { name: "Evaluate formula" });
  const formulas = dialog.locator("code");
  const next = dialog.locator("u");
  const status = dialog.getByRole("status");
  await expect(formulas).toHaveText("=IF(AVERAGE(D2:D5)>50,SUM(E2:E5),D2)");
  await expect(next).toHaveText("AVERAGE(D2:D5)");
  await expect(status).toHaveText("Sheet1!A1: IF(AVERAGE(D2:D5)>50,SUM(E2:E5),D2). Next: AVERAGE(D2:D5)");
  expect(await violations(ann.page)).toEqual([]);
  await expect(dialog.getByRole("button", { name: "Step in" })).toBeDisabled();
  // The keyboard is enough.
  await expect(dialog.getByRole("button", { name: "Evaluate" })).toBeFocused();
  await ann.page.keyboard.press("Enter");
  await expect(formulas).toHaveText("=IF(40>50,SUM(E2:E5),D2)");
  await ann.page.keyboard.press("Enter");
  await expect(formulas).toHaveText("=IF(FALSE,SUM(E2:E5),D2)");
  await expect(next).toHaveText("D2");
  await dialog.getByRole("button", { name: "Step in" }).click();
  await expect(formulas).toHaveText(["=IF(FALSE,SUM(E2:E5),D2)", "=50+5"]);
  await ann.page.keyboard.press("Enter");
  await expect(formulas.last()).toHaveText("=55");
  await expect(status).toHaveText("Sheet1!D2: 55. Evaluation complete.");
  await expect(dialog.getByRole("button", { name: "Step out" })).toBeFocused();
  await ann.page.keyboard.press("Enter");
  await expect(formulas).toHaveText(["=IF(FALSE,SUM(E2:E5),55)"]);
  await ann.page.keyboard.press("Enter");
  await expect(formulas).toHaveText("=55");
  await dialog.getByRole("button", { name: "Restart" }).click();
  await expect(formulas).toHaveText("=IF(AVERAGE(D2:D5)>50,SUM(E2:E5),D2)");
  await ann.page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  // Without a formula there is nothing to evaluate.
  await ann.select("E2");
  await ann.choose("Data", "Evaluate formula…");
  await expect(dialog.getByText("Select a cell with a formula first.")).toBeVisible();
});
