import { expect, test } from "./user.ts";

test("form controls of EtherCalc are filled in, and a button carries out its actions", async ({ world }) => {
  const ann = await world.enter();
  const bob = await world.enter();
  await ann.type("A1", [
    ['=TEXTBOX("pear")', "=UPPER(A1)"],
    ['=SELECT("red","red,blue")', "=A2"],
    ['=CHECKBOX("FALSE")', "=A3"],
    ['=RADIOBUTTON("TRUE","size")', "=A4"],
    ['=RADIOBUTTON("FALSE","size")', "=A5"],
    ['=BUTTON("Copy")', "=COPYVALUE(A6,C6,B1:B2)"],
  ]);
  // What is typed over a field is its value.
  await ann.select("A1");
  await ann.page.keyboard.type("apple");
  await ann.press("Enter");
  await ann.seesInCell("A1", "apple");
  await bob.seesInCell("B1", "APPLE");
  await ann.select("A1");
  await ann.formula('=TEXTBOX("apple")');
  // A choice of the list.
  await ann.select("A2");
  await ann.press("Alt+ArrowDown");
  const list = ann.page.getByRole("listbox", { name: "Dropdown list" });
  await expect(list.getByRole("option")).toHaveText(["red", "blue"]);
  await ann.press("ArrowDown", "Enter");
  await bob.seesInCell("B2", "blue");
  // Boxes are ticked by the space bar and by a press in their middle.
  await ann.select("A3");
  await ann.press(" ");
  await bob.seesInCell("B3", "1");
  await ann.click("A5");
  await bob.seesInCell("B5", "1");
  await bob.seesInCell("B4", "0");
  await ann.press("Control+z");
  await bob.seesInCell("B4", "1");
  await bob.seesInCell("B5", "0");
  // The server carries out the actions of the button for everybody.
  await ann.saved();
  await ann.click("A6");
  await ann.seesInCell("C6", "APPLE");
  await bob.seesInCell("C7", "blue");
});

test("a form is sent", async ({ world }) => {
  const room = "order";
  const ann = await world.enter(room);
  await ann.type("A1", [['=TEXTBOX("2 boxes")'], ["=SUBMIT()"]]);
  await ann.saved();
  await ann.select("A2");
  await ann.press(" ");
  await expect(ann.page.locator(".toast")).toContainText("Your answers were sent.");
  const answers = await world.enter(`${room}_formdata`);
  await answers.seesInCell("B1", "textboxA1");
  await answers.seesInCell("B2", "2 boxes");
});

test("the view /app shows the panels of a sheet as a form", async ({ world }) => {
  const ann = await world.enter("form");
  await ann.type("A1", [
    ["=PANEL(E1,B2:C4,B6:C8)", "", "", "", "1"],
    ["", '=TEXTBOX("apple")', "=UPPER(B2)"],
    ["hidden"],
    [],
    [],
    ["", "Thank you"],
  ]);
  await ann.saved();
  const { page } = await world.enter("form");
  await page.goto(`${world.server.url}/form/app`);
  // Cells that are not shown are not in the accessible grid either.
  const cells = page.locator("[role=gridcell]");
  await expect(cells.filter({ hasText: /^apple$/ })).toBeVisible();
  await expect(cells.filter({ hasText: /^APPLE$/ })).toBeVisible();
  await expect(cells.filter({ hasText: "hidden" })).toHaveCount(0);
  await expect(cells.filter({ hasText: "Thank you" })).toHaveCount(0);
  // The active cell is one that is shown.
  await expect(page.locator("[role=gridcell][aria-selected=true]")).toHaveAttribute("data-cell", "B2");
  await expect(page.locator(".toolbar, .formula-bar, .sheet-tabs")).toHaveCount(0);
  // Another panel is shown as soon as the formula names it; other people see the whole sheet.
  await ann.type("E1", [["2"]]);
  await expect(cells.filter({ hasText: "Thank you" })).toBeVisible();
  await expect(cells.filter({ hasText: /^apple$/ })).toHaveCount(0);
  await ann.seesInCell("A3", "hidden");
});

test("an image button shows its image", async ({ world }) => {
  const ann = await world.enter();
  const requests: string[] = [];
  ann.page.on("request", (request) => requests.push(request.url()));
  await ann.type("A1", [['=IMAGEBUTTON("/icon-192.png")'], ['=IMAGEBUTTON("https://example.org/go.png")']]);
  await expect.poll(() => requests.some((url) => url.endsWith("/icon-192.png"))).toBe(true);
  await ann.seesInCell("A2", "https://example.org/go.png");
  expect(requests.filter((url) => !url.startsWith(world.server.url) && !/^(data|blob):/.test(url))).toEqual([]);
});
