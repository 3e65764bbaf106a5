/** IMPORTRANGE: cells of other workbooks (docs/guide/formulas.md, "Data of other workbooks"). */

import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

test("cells of another workbook follow its changes", async ({ world }) => {
  const [source, report] = ["sales", "report"];
  const [ann, bob] = await Promise.all([world.enter(source), world.enter(report)]);
  await ann.type("A1", [["Region", "Crates"], ["East", "10"]]);
  await ann.saved();
  await bob.type("A1", [[`=IMPORTRANGE("${source}","A1:B2")`]]);
  await bob.sees("A1", [
    ["Region", "Crates"],
    ["East", "10"],
  ]);
  await ann.type("B2", [["12"]]);
  await bob.sees("B2", [["12"]]);
  // The same in the form of Excel, which is relative.
  await bob.type("D2", [[`='[${source}]'!B2*2`]]);
  await bob.sees("D2", [["24"]]);
  await ann.type("B2", [["15"]]);
  await bob.sees("D2", [["30"]]);
});

test("somebody who may view a workbook allows access, and its owner revokes it", async ({ world }) => {
  const [source, report] = ["sales", "report"];
  const ann = await world.enter(source);
  await ann.type("A1", [["secret"]]);
  await ann.saved();
  const dialog = ann.page.getByRole("dialog", { name: /^Share/ });
  await ann.page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByRole("combobox", { name: "General access" }).selectOption("Restricted");
  await expect(dialog.getByText("Only people with access can open the workbook with the link.")).toBeVisible();
  await ann.press("Escape");

  const bob = await world.enter(report);
  await bob.type("A1", [[`=IMPORTRANGE("${source}","A1")`]]);
  await bob.sees("A1", [["#REF!"]]);
  await bob.select("A1");
  const note = bob.page.getByRole("note");
  await expect(note).toContainText(`This workbook has no access to “${source}”`);
  await note.getByRole("button", { name: "Allow access" }).click();
  await expect(note.getByRole("alert")).toHaveText("There is no such workbook, or you cannot view it.");

  // Ann may: it is her workbook.
  await ann.page.goto(`${world.server.url}/${report}`);
  await ann.sees("A1", [["#REF!"]]);
  await ann.select("A1");
  await expect(ann.page.getByRole("note")).toBeVisible();
  expect(await violations(ann.page)).toEqual([]);
  await ann.page.getByRole("note").getByRole("button", { name: "Allow access" }).click();
  await Promise.all([ann.sees("A1", [["secret"]]), bob.sees("A1", [["secret"]])]);

  await ann.page.goto(`${world.server.url}/${source}`);
  await ann.sees("A1", [["secret"]]);
  await ann.page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByRole("button", { name: `Revoke the access of ${report}` }).click();
  await expect(dialog.getByRole("heading", { name: "Imports" })).toBeHidden();
  await bob.sees("A1", [["#REF!"]]);
});
