/**
 * Type-ahead: input before the engine has answered, dispatched in one task so that no answer can
 * arrive between.
 */

import { command } from "./commands.ts";
import { expect, type User, test } from "./user.ts";

interface Key {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly altKey?: boolean;
}

async function atOnce(person: User, ...keys: readonly Key[]): Promise<void> {
  await person.page.evaluate((pressed) => {
    for (const key of pressed) {
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true }));
    }
  }, keys);
}

const ENTER: Key = { key: "Enter" };

test("text typed right after a jump goes to the target cell", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["1"], ["2"], ["3"]]);
  await ann.select("A1");
  await atOnce(ann, { key: "ArrowDown", ctrlKey: true }, { key: "4" }, { key: "2" }, ENTER);
  await ann.sees("A1", [["1"], ["2"], ["42"], [""]]);
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("A4");
});

test("undo after a validated entry reverts that entry", async ({ world }) => {
  const ann = await world.enter();
  const fields = { rule: "whole", operator: "greater", formula1: "=0", prompt: "Number of items" };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["C1"], fields });
  await ann.select("C1");
  await expect(ann.page.getByRole("note", { name: "Input message" })).toHaveText("Number of items");
  await ann.page.keyboard.type("5");
  await atOnce(ann, ENTER, { key: "z", ctrlKey: true }, { key: "7" }, ENTER);
  await ann.seesInCell("C2", "7");
  await ann.seesInCell("C1", "");
  await ann.select("C1");
  await expect(ann.page.getByRole("note", { name: "Input message" }), "the rule is still there").toHaveText("Number of items");
});

test("a paste right after a copy pastes the new content at the cell of the paste", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["copied"]]);
  await ann.select("A1");
  await ann.page.evaluate(() => {
    document.execCommand("copy");
    const field = document.activeElement;
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "from before");
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    // Firefox copies no data that the event is made with.
    Object.defineProperty(paste, "clipboardData", { value: clipboardData });
    field?.dispatchEvent(paste);
    field?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  });
  await ann.sees("A1", [["copied", "copied"], ["", ""]]);
  await expect(ann.page.getByRole("textbox", { name: /^Name box/ })).toHaveValue("B2");
});

test("keys open a dropdown list and choose from it without scrolling", async ({ world }) => {
  const ann = await world.enter();
  await command(ann.page, { type: "typeTexts", sheet: 1, at: "G1", texts: [["red"], ["green"], ["blue"]] });
  const fields = { rule: "list", formula1: "=$G$1:$G$3" };
  await command(ann.page, { type: "setItem", sheet: 1, kind: "validation", anchors: ["B200"], fields });
  await ann.select("B200");
  await atOnce(ann, { key: "ArrowDown", altKey: true }, { key: "ArrowDown" }, ENTER);
  await ann.seesInCell("B200", "green");
  await expect(ann.page.locator(".cell-field")).toBeFocused();
  await expect(ann.page.getByRole("listbox", { name: "Dropdown list" })).toHaveCount(0);
});

test("the next key opens a filter that was just created", async ({ world }) => {
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
