/** What people do before the engine has answered, as they can while it is busy: in one go, where no answer can come between. */

import { command } from "./commands.ts";
import { expect, type Person, test } from "./sheet.ts";

interface Key {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly altKey?: boolean;
}

async function atOnce(person: Person, ...keys: readonly Key[]): Promise<void> {
  await person.page.evaluate((pressed) => {
    for (const key of pressed) {
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
    }
  }, keys);
}

const ENTER: Key = { key: "Enter" };

test("what is typed after a jump goes where the jump leads", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A1");
  await atOnce(ann, { key: "ArrowDown", ctrlKey: true }, { key: "4" }, { key: "2" }, ENTER);
  await ann.sees("A1", [["1"], ["2"], ["42"], [""]]);
  await expect(ann.page.getByRole("textbox", { name: /^Selected cells/ })).toHaveValue("A4");
});

test("an entry that its rule is asked about comes before the undoing of it", async ({ world }) => {
  const ann = await world.enter();
  const fields = { rule: "whole", operator: "greater", formula1: "=0", prompt: "How many" };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["C1"], fields });
  await ann.select("C1");
  await expect(ann.page.getByRole("note", { name: "About this cell" })).toHaveText("How many");
  await ann.page.keyboard.type("5");
  await atOnce(ann, ENTER, { key: "z", ctrlKey: true }, { key: "7" }, ENTER);
  await ann.seesInCell("C2", "7");
  await ann.seesInCell("C1", "");
  await ann.select("C1");
  await expect(ann.page.getByRole("note", { name: "About this cell" }), "the rule is still there").toHaveText("How many");
});

test("what was copied a moment ago is pasted, where one was when one asked for it", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["copied"]]);
  await ann.select("A1");
  await ann.page.evaluate(() => {
    document.execCommand("copy");
    const field = document.activeElement;
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "from before");
    field?.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  });
  await ann.sees("A1", [["copied", "copied"], ["", ""]]);
  await expect(ann.page.getByRole("textbox", { name: /^Selected cells/ })).toHaveValue("B2");
});

test("a list is opened and chosen from, and the sheet stays where it is", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "G1", texts: [["red"], ["green"], ["blue"]] });
  const fields = { rule: "list", formula1: "=$G$1:$G$3" };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["B200"], fields });
  await ann.select("B200");
  await atOnce(ann, { key: "ArrowDown", altKey: true }, { key: "ArrowDown" }, ENTER);
  await ann.seesInCell("B200", "green");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await expect(ann.page.getByRole("menu", { name: "Choices" })).toHaveCount(0);
});

test("a filter that was just asked for opens by the next key", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["name"], ["Ann"], ["Bo"]]);
  await ann.select("A1");
  await ann.page.getByRole("button", { name: /^Data/ }).click();
  await ann.page.getByRole("menuitem", { name: /^Filter$/ }).evaluate((item) => {
    item.dispatchEvent(new PointerEvent("pointerup", { button: 0, bubbles: true }));
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", altKey: true, bubbles: true, cancelable: true }));
  });
  await expect(ann.page.getByRole("dialog", { name: "Filter" }).getByRole("checkbox", { name: "Bo" })).toBeVisible();
});
