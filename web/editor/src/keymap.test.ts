import assert from "node:assert/strict";
import { test } from "node:test";
import { bindingFor, KEYMAP, keyName, type PressedKey, showKey } from "./keymap.ts";
import { SHORTCUTS } from "./shortcuts.ts";

const press = (key: string, code: string, held = ""): PressedKey => ({
  key,
  code,
  ctrlKey: held.includes("ctrl"),
  metaKey: held.includes("meta"),
  altKey: held.includes("alt"),
  shiftKey: held.includes("shift"),
});

test("each key is bound once", () => {
  const keys = KEYMAP.flatMap((binding) => binding.keys);
  assert.deepEqual(keys, [...new Set(keys)]);
});

test("the help dialog lists each key once", () => {
  const listed = SHORTCUTS.flatMap(([, shortcuts]) => shortcuts.flatMap(({ keys }) => keys));
  assert.deepEqual(listed.toSorted(), KEYMAP.flatMap(({ keys }) => keys).toSorted());
});

test("key names do not depend on the keyboard layout", () => {
  const cases: [PressedKey, boolean, string][] = [
    [press("b", "KeyB", "ctrl"), false, "mod+b"],
    [press("b", "KeyB", "meta"), true, "mod+b"],
    [press("Z", "KeyZ", "ctrl shift"), false, "mod+shift+z"],
    [press("с", "KeyC", "ctrl"), false, "mod+c"],
    [press("$", "Digit4", "ctrl shift"), false, "mod+shift+4"],
    [press("ArrowUp", "ArrowUp", "shift"), false, "shift+ArrowUp"],
    [press("A", "KeyA", "shift"), false, "shift+a"],
  ];
  for (const [pressed, isApple, name] of cases) {
    assert.equal(keyName(pressed, isApple), name);
  }
});

test("typing a letter is not a command", () => {
  assert.equal(bindingFor(press("a", "KeyA"), false), undefined);
  assert.equal(bindingFor(press("A", "KeyA", "shift"), false), undefined);
});

test("keys are formatted for the platform and language", () => {
  assert.equal(showKey("mod+shift+z", false), "Ctrl+Shift+Z");
  assert.equal(showKey("mod+shift+z", true), "⌘⇧Z");
  assert.equal(showKey("shift+ ", false), "Shift+Space");
  assert.equal(showKey("mod+a", false, (word) => (word === "Ctrl" ? "Strg" : word)), "Strg+A");
});
