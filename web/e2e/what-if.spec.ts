import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("scenarios are stored, shown in one undo step, and compared", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  // The budget of Microsoft's help on scenarios.
  await ann.type("A1", [["Revenue", "50000"], ["Cost", "13200"], ["Profit", "=B1-B2"]]);
  await bob.seesInCell("B3", "36800");
  await ann.select("B1:B2");
  await ann.choose("Data", "Scenarios…");
  const dialog = ann.page.getByRole("dialog", { name: "Scenarios" });
  const add = async (name: string, revenue: string, cost: string): Promise<void> => {
    await dialog.getByRole("button", { name: "Add scenario" }).click();
    await dialog.getByRole("textbox", { name: "Scenario name" }).fill(name);
    await expect(dialog.getByRole("textbox", { name: "Changing cells" })).toHaveValue("B1:B2");
    await expect(dialog.getByRole("textbox", { name: "B2", exact: true })).toHaveValue("13200");
    await dialog.getByRole("textbox", { name: "B1", exact: true }).fill(revenue);
    await dialog.getByRole("textbox", { name: "B2", exact: true }).fill(cost);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
  };
  await add("Worst case", "50000", "13200");
  await add("Best case", "150000", "26000");
  expect(await violations(ann.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Show scenario Best case" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The cells have the values of “Best case”.");
  await bob.seesInCell("B3", "124000");
  await ann.page.keyboard.press("Escape");
  await ann.press("Control+z");
  await bob.seesInCell("B3", "36800");
  // The cells follow an inserted row.
  await bob.select("A1:A1");
  await bob.choose("Insert$", "Rows above");
  await ann.seesInCell("B4", "36800");
  await ann.select("B4");
  await ann.choose("Data", "Scenarios…");
  await dialog.getByRole("button", { name: "Summary…" }).click();
  await expect(dialog.getByRole("textbox", { name: "Result cells" })).toHaveValue("B4");
  await dialog.getByRole("button", { name: "Create summary" }).click();
  await ann.sees("A2", [
    ["", "Current values", "Best case", "Worst case"],
    ["Changing cells", "", "", ""],
    ["B2", "50000", "150000", "50000"],
    ["B3", "13200", "26000", "13200"],
    ["Result cells", "", "", ""],
    ["B4", "36800", "124000", "36800"],
  ]);
});

test("data tables show results for the values of one or two cells and follow edits", async ({ world }) => {
  const [ann, bob] = await Promise.all([world.enter(), world.enter()]);
  // Payments for a loan; LibreOffice's values.
  await ann.type("A1", [["Rate", "5%"], ["Years", "10"], ["Loan", "100000"], ["Payment", "=ROUND(PMT(B1/12,B2*12,-B3),2)"]]);
  await ann.type("D1", [["=B4", "5", "10", "15"], ["4%"], ["5%"], ["6%"]]);
  await ann.select("D1:G4");
  await ann.choose("Data", "Data table…");
  const dialog = ann.page.getByRole("dialog", { name: "Data table" });
  await expect(dialog.getByRole("textbox", { name: "Data range" })).toHaveValue("D1:G4");
  const row = dialog.getByRole("textbox", { name: "Row input cell" });
  const column = dialog.getByRole("textbox", { name: "Column input cell" });
  const apply = dialog.getByRole("button", { name: "Apply" });
  await apply.click();
  await expect(dialog.getByRole("alert")).toHaveText("Enter an input cell for the row, the column or both.");
  await expect(row).toBeFocused();
  await row.fill("B2");
  await column.fill("E1");
  await apply.click();
  await expect(dialog.getByRole("alert")).toHaveText("Enter a cell outside the data table.");
  expect(await violations(ann.page)).toEqual([]);
  await column.fill("B1");
  await ann.page.keyboard.press("Enter");
  await bob.sees("E2", [
    ["$1,841.65", "$1,012.45", "$739.69"],
    ["$1,887.12", "$1,060.66", "$790.79"],
    ["$1,933.28", "$1,110.21", "$843.86"],
  ]);
  await bob.type("B3", [["200000"]]);
  await ann.seesInCell("F3", "$2,121.31");
  await bob.type("F1", [["15"]]);
  await ann.seesInCell("F3", "$1,581.59");
  await ann.press("Control+z");
  await bob.seesInCell("F3", "");
});

test("the solver finds the best values and says what is wrong with a problem", async ({ world }) => {
  const ann = await world.enter();
  // Hillier and Lieberman's Wyndor Glass: at most 36 at (2, 6).
  await ann.type("A1", [["0"], ["0"], ["=3*A1+5*A2"], ["=3*A1+2*A2"], ["=A1*A2"]]);
  await ann.select("A3");
  await ann.choose("Data", "Solver…");
  const dialog = ann.page.getByRole("dialog", { name: "Solver" });
  const objective = dialog.getByRole("textbox", { name: "Objective cell" });
  await expect(objective).toHaveValue("A3");
  await dialog.getByRole("textbox", { name: "Changing cells" }).fill("A1:A2");
  const solve = dialog.getByRole("button", { name: "Solve", exact: true });
  const status = dialog.getByRole("status");
  await solve.click();
  await expect(status).toHaveText("The objective can grow without limit. Add constraints.");
  for (const [index, [left, right]] of [["A1", "4"], ["A2", "6"], ["A4", "18"]].entries()) {
    await dialog.getByRole("button", { name: "Add constraint" }).click();
    await dialog.getByRole("textbox", { name: `Cells of constraint ${index + 1}` }).fill(left ?? "");
    await dialog.getByRole("textbox", { name: "Value or cells" }).nth(index).fill(right ?? "");
  }
  expect(await violations(ann.page)).toEqual([]);
  await objective.fill("A5");
  await solve.click();
  await expect(status).toHaveText("A5 does not depend on the changing cells in a linear way. Only linear problems can be solved.");
  await objective.fill("A3");
  await solve.click();
  await expect(status).toHaveText("Solution found: A3 is 36.");
  await expect(dialog.getByRole("row")).toHaveText(["A12", "A26"]);
  await ann.seesInCell("A3", "0");
  await dialog.getByRole("button", { name: "Keep solution" }).click();
  await ann.sees("A1", [["2"], ["6"], ["36"]]);
  await ann.press("Control+z");
  await ann.sees("A1", [["0"], ["0"], ["0"]]);
  // The problem is still there.
  await ann.choose("Data", "Solver…");
  await dialog.getByRole("textbox", { name: "Value or cells" }).first().fill("-1");
  await solve.click();
  await expect(status).toHaveText("No values of the changing cells meet all constraints.");
});
