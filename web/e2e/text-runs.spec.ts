import { pixels } from "./canvas-pixels.ts";
import { paste } from "./clipboard.ts";
import { command } from "./commands.ts";
import { expect, test, type User } from "./user.ts";

const tool = (person: User, name: string) => person.page.getByRole("button", { name, exact: true });

/** The parts of the text of a cell, as the REST API returns them. */
async function parts(server: string, room: string, cell: string): Promise<unknown> {
  const response = await fetch(`${server}/api/v1/rooms/${room}/sheets/Sheet1/cells/${cell}`);
  const { cell: read } = (await response.json()) as { cell: { format?: { textRuns?: unknown } } };
  return read.format?.textRuns;
}

test("selected letters get a font, and what is typed beside them keeps it", async ({ world }) => {
  const room = "text-runs";
  const ann = await world.enter(room);
  const runs = (): Promise<unknown> => parts(world.server.url, room, "A1");
  await ann.type("A1", [["Hello world"]]);
  await ann.select("A1");
  await ann.press("F2", "Shift+Control+ArrowLeft", "Control+b");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "true");
  await ann.press("ArrowRight");
  await ann.page.keyboard.type("!");
  await ann.press("Home");
  await ann.page.keyboard.type("Oh. ");
  await expect(tool(ann, "Bold")).toHaveAttribute("aria-pressed", "false");
  await ann.press("Enter");
  await ann.saved();
  await ann.seesInCell("A1", "Oh. Hello world!");
  const bold = [
    { text: "Oh. Hello ", format: {} },
    { text: "world!", format: { bold: true } },
  ];
  expect(await runs()).toEqual(bold);
  // A tool of the toolbar, with the selection in the formula bar.
  await ann.select("A1");
  await ann.page.getByRole("textbox", { name: "Formula bar" }).click();
  await ann.press("Home", "Shift+ArrowRight", "Shift+ArrowRight");
  await ann.page.getByRole("combobox", { name: "Font size" }).selectOption("24");
  await tool(ann, "Strikethrough").click();
  await ann.press("Enter");
  await ann.saved();
  const large = [{ text: "Oh", format: { strikethrough: true, fontSize: 24 } }, { text: ". Hello ", format: {} }, bold[1]];
  expect(await runs()).toEqual(large);
  // Text and fonts of an edit are one step.
  await ann.press("Control+z");
  await ann.saved();
  expect(await runs()).toEqual(bold);
  // A font of the whole cell replaces that of its parts.
  await ann.select("A1");
  await ann.press("Control+b", "Control+b");
  await ann.saved();
  expect(await runs()).toBeUndefined();
});

test("a font chosen at the caret is that of what is typed next", async ({ world }) => {
  const room = "text-runs-caret";
  const ann = await world.enter(room);
  await ann.select("B2");
  await ann.page.keyboard.type("plain ");
  await ann.press("Control+i");
  await ann.page.keyboard.type("slanted");
  await ann.press("Enter");
  await ann.saved();
  expect(await parts(world.server.url, room, "B2")).toEqual([
    { text: "plain ", format: {} },
    { text: "slanted", format: { italic: true } },
  ]);
  // A number has no parts.
  await ann.select("B3");
  await ann.page.keyboard.type("1");
  await ann.press("Control+b");
  await ann.page.keyboard.type("2");
  await ann.press("Enter");
  await ann.seesInCell("B3", "12");
  await ann.saved();
  expect(await parts(world.server.url, room, "B3")).toBeUndefined();
});

test("two people see fonts of parts, which follow their text", async ({ world }) => {
  const room = "text-runs-two";
  const ann = await world.enter(room);
  const bob = await world.enter(room);
  const red = { textColor: "#ff0000" };
  await command(ann.page, { type: "typeText", sheet: 1, cell: "A1", text: "x■■" });
  await command(ann.page, {
    type: "format",
    sheet: 1,
    range: "A1",
    format: { textRuns: [{ text: "x", format: {} }, { text: "■■", format: red }] },
  });
  await bob.seesInCell("A1", "x■■");
  const hasRed = (cell: string): Promise<boolean> => pixels(bob, cell, [255, 0, 0]).then((count) => count > 20);
  await expect.poll(() => hasRed("A1")).toBe(true);
  // The fonts move with the cell; another text does not have them.
  await command(ann.page, { type: "insertRows", sheet: 1, at: 0, count: 1 });
  await bob.seesInCell("A2", "x■■");
  await expect.poll(() => hasRed("A2")).toBe(true);
  await bob.type("A2", [["■■x"]]);
  await ann.seesInCell("A2", "■■x");
  await expect.poll(() => hasRed("A2")).toBe(false);
});

test("copied cells keep fonts of parts here and in other programs", async ({ world }) => {
  const room = "text-runs-copy";
  const ann = await world.enter(room);
  const markup =
    '<style>.font5{color:red;font-weight:700;}</style><table><tr><td>Due <font class="font5">to<i>day</i></font>,\n <span style="font-size:8pt">(x)</span></td></tr></table>';
  await paste(ann, { "text/html": markup, "text/plain": "Due today, (x)" });
  await ann.seesInCell("A1", "Due today, (x)");
  await ann.saved();
  const bold = { bold: true, textColor: "#ff0000" };
  expect(await parts(world.server.url, room, "A1")).toEqual([
    { text: "Due ", format: {} },
    { text: "to", format: bold },
    { text: "day", format: { ...bold, italic: true } },
    { text: ", ", format: {} },
    { text: "(x)", format: { fontSize: 8 } },
  ]);
  await ann.select("A1");
  // Waits for the event before pressing the key.
  const copied = await ann.page.evaluateHandle(() => {
    const listening = new Promise<string>((resolve) =>
      document.addEventListener("copy", (event) => {
        const html = event.clipboardData?.getData("text/html") ?? "";
        if (html !== "") {
          resolve(html);
        }
      }),
    );
    return { listening };
  });
  await ann.press("Control+c");
  const html = await copied.evaluate(({ listening }) => listening);
  expect(html).toContain('<span style="font-weight:bold;color:#ff0000"><b><font color="#ff0000">to</font></b></span>');
  const bob = await world.enter("text-runs-pasted");
  await paste(bob, { "text/html": html });
  await bob.seesInCell("A1", "Due today, (x)");
  await bob.saved();
  expect(await parts(world.server.url, "text-runs-pasted", "A1")).toEqual(await parts(world.server.url, room, "A1"));
});
