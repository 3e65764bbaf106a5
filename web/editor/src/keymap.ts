/**
 * The keyboard shortcuts, as the client executes them. `shortcuts.ts` has their descriptions.
 *
 * `mod` is Ctrl, or Command on Apple devices. Keys are named as in `KeyboardEvent.key`, letters in
 * lower case.
 */

/** A keyboard command with its arguments. */
export type Action =
  | { readonly do: "move"; readonly rows: number; readonly columns: number }
  | { readonly do: "extend"; readonly rows: number; readonly columns: number }
  | { readonly do: "edge"; readonly direction: "up" | "down" | "left" | "right"; readonly extends: boolean }
  | { readonly do: "page"; readonly pages: number; readonly sideways: boolean; readonly extends: boolean }
  | { readonly do: "rowStart"; readonly extends: boolean }
  | { readonly do: "sheetStart"; readonly extends: boolean }
  | { readonly do: "sheetEnd"; readonly extends: boolean }
  | { readonly do: "nextCell"; readonly down: boolean; readonly back: boolean }
  | { readonly do: "rowEnd"; readonly extends: boolean }
  /** With `opensList`, the key opens the dropdown list of the active cell if it has one. */
  | { readonly do: "nextSheet"; readonly by: number; readonly opensList?: boolean }
  | { readonly do: "setHidden"; readonly dimension: "rows" | "columns"; readonly hidden: boolean }
  | { readonly do: "moveRowsOrColumns"; readonly dimension: "rows" | "columns"; readonly by: -1 | 1 }
  | { readonly do: "group"; readonly isGrouped: boolean }
  | { readonly do: "collapse"; readonly isCollapsed: boolean }
  | { readonly do: "showFormulas" }
  | { readonly do: "align"; readonly to: "left" | "center" | "right" }
  /** 0 resets the zoom to 100 %. */
  | { readonly do: "zoom"; readonly by: number }
  | { readonly do: "toggle"; readonly attribute: "bold" | "italic" | "underline" | "strikethrough" }
  | { readonly do: "numberFormat"; readonly code: string | null }
  | { readonly do: "border"; readonly position: "top" | "right" | "bottom" | "left" | "none" | "outer" }
  | { readonly do: "insertNow"; readonly what: "date" | "time" }
  | { [Name in SimpleAction]: { readonly do: Name } }[SimpleAction];

/** A keyboard command without arguments. */
export type SimpleAction =
  | "selectAll"
  | "selectRows"
  | "selectColumns"
  | "edit"
  | "cancel"
  | "clear"
  | "clearAndEdit"
  | "undo"
  | "redo"
  | "fillDown"
  | "fillRight"
  | "fillByExample"
  | "fillSelection"
  | "newLine"
  | "insertRowsOrColumns"
  | "deleteRowsOrColumns"
  | "copy"
  | "cut"
  | "paste"
  | "pasteValues"
  | "pasteSpecial"
  | "scrollToActive"
  | "cycleAbsolute"
  | "toggleLines"
  | "clearFormats"
  | "selectEverything"
  | "toggleCheckbox"
  | "sum"
  | "nextRegion"
  | "comments"
  | "find"
  | "replace"
  | "goTo"
  | "help"
  | "table"
  | "link"
  | "print"
  | "save"
  | "numberFormats"
  | "functions"
  | "history"
  | "addSheet";

/** One row of the table. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly action: Action;
  /** Also active if neither the cells nor the formula bar have the focus. */
  readonly isGlobal?: boolean;
}

const move = (rows: number, columns: number): Action => ({ do: "move", rows, columns });
const extend = (rows: number, columns: number): Action => ({ do: "extend", rows, columns });

/** All shortcuts. */
export const KEYMAP: readonly KeyBinding[] = [
  { keys: ["ArrowUp"], action: move(-1, 0) },
  { keys: ["ArrowDown"], action: move(1, 0) },
  { keys: ["ArrowLeft"], action: move(0, -1) },
  { keys: ["ArrowRight"], action: move(0, 1) },
  { keys: ["mod+ArrowUp"], action: { do: "edge", direction: "up", extends: false } },
  { keys: ["mod+ArrowDown"], action: { do: "edge", direction: "down", extends: false } },
  { keys: ["mod+ArrowLeft"], action: { do: "edge", direction: "left", extends: false } },
  { keys: ["mod+ArrowRight"], action: { do: "edge", direction: "right", extends: false } },
  { keys: ["Enter"], action: { do: "nextCell", down: true, back: false } },
  { keys: ["shift+Enter"], action: { do: "nextCell", down: true, back: true } },
  { keys: ["Tab"], action: { do: "nextCell", down: false, back: false } },
  { keys: ["shift+Tab"], action: { do: "nextCell", down: false, back: true } },
  { keys: ["Home"], action: { do: "rowStart", extends: false } },
  { keys: ["End"], action: { do: "rowEnd", extends: false } },
  { keys: ["mod+Home"], action: { do: "sheetStart", extends: false } },
  { keys: ["mod+End"], action: { do: "sheetEnd", extends: false } },
  { keys: ["PageUp"], action: { do: "page", pages: -1, sideways: false, extends: false } },
  { keys: ["PageDown"], action: { do: "page", pages: 1, sideways: false, extends: false } },
  { keys: ["alt+PageUp"], action: { do: "page", pages: -1, sideways: true, extends: false } },
  { keys: ["alt+PageDown"], action: { do: "page", pages: 1, sideways: true, extends: false } },
  { keys: ["mod+g"], action: { do: "goTo" }, isGlobal: true },
  { keys: ["mod+Backspace"], action: { do: "scrollToActive" } },

  { keys: ["shift+ArrowUp"], action: extend(-1, 0) },
  { keys: ["shift+ArrowDown"], action: extend(1, 0) },
  { keys: ["shift+ArrowLeft"], action: extend(0, -1) },
  { keys: ["shift+ArrowRight"], action: extend(0, 1) },
  { keys: ["mod+shift+ArrowUp"], action: { do: "edge", direction: "up", extends: true } },
  { keys: ["mod+shift+ArrowDown"], action: { do: "edge", direction: "down", extends: true } },
  { keys: ["mod+shift+ArrowLeft"], action: { do: "edge", direction: "left", extends: true } },
  { keys: ["mod+shift+ArrowRight"], action: { do: "edge", direction: "right", extends: true } },
  { keys: ["shift+Home"], action: { do: "rowStart", extends: true } },
  { keys: ["shift+End"], action: { do: "rowEnd", extends: true } },
  { keys: ["mod+shift+Home"], action: { do: "sheetStart", extends: true } },
  { keys: ["mod+shift+End"], action: { do: "sheetEnd", extends: true } },
  { keys: ["shift+PageUp"], action: { do: "page", pages: -1, sideways: false, extends: true } },
  { keys: ["shift+PageDown"], action: { do: "page", pages: 1, sideways: false, extends: true } },
  { keys: ["mod+a", "mod+shift+8"], action: { do: "selectAll" } },
  { keys: ["mod+shift+ "], action: { do: "selectEverything" } },
  { keys: ["shift+ "], action: { do: "selectRows" } },
  { keys: ["mod+ "], action: { do: "selectColumns" } },

  { keys: ["F2"], action: { do: "edit" } },
  { keys: ["Escape"], action: { do: "cancel" } },
  { keys: ["Delete"], action: { do: "clear" } },
  { keys: ["Backspace"], action: { do: "clearAndEdit" } },
  { keys: ["alt+Enter"], action: { do: "newLine" } },
  { keys: ["mod+Enter"], action: { do: "fillSelection" } },
  { keys: ["F4"], action: { do: "cycleAbsolute" } },
  { keys: ["mod+shift+u"], action: { do: "toggleLines" } },
  { keys: [" "], action: { do: "toggleCheckbox" } },
  { keys: ["mod+z"], action: { do: "undo" }, isGlobal: true },
  { keys: ["mod+y", "mod+shift+z"], action: { do: "redo" }, isGlobal: true },
  { keys: ["mod+f"], action: { do: "find" }, isGlobal: true },
  { keys: ["mod+h"], action: { do: "replace" }, isGlobal: true },
  { keys: ["mod+d"], action: { do: "fillDown" } },
  { keys: ["mod+r"], action: { do: "fillRight" } },
  { keys: ["mod+e"], action: { do: "fillByExample" } },
  { keys: ["mod+c"], action: { do: "copy" } },
  { keys: ["mod+x"], action: { do: "cut" } },
  { keys: ["mod+v"], action: { do: "paste" } },
  { keys: ["mod+shift+v"], action: { do: "pasteValues" } },
  { keys: ["mod+alt+v"], action: { do: "pasteSpecial" } },
  { keys: ["mod+;"], action: { do: "insertNow", what: "date" } },
  { keys: ["mod+shift+;"], action: { do: "insertNow", what: "time" } },
  { keys: ["alt+="], action: { do: "sum" } },

  { keys: ["mod+b"], action: { do: "toggle", attribute: "bold" } },
  { keys: ["mod+i"], action: { do: "toggle", attribute: "italic" } },
  { keys: ["mod+u"], action: { do: "toggle", attribute: "underline" } },
  { keys: ["alt+shift+5", "mod+5"], action: { do: "toggle", attribute: "strikethrough" } },
  { keys: ["mod+shift+1"], action: { do: "numberFormat", code: "#,##0.00" } },
  { keys: ["mod+shift+2"], action: { do: "numberFormat", code: "h:mm AM/PM" } },
  { keys: ["mod+shift+3"], action: { do: "numberFormat", code: "yyyy-mm-dd" } },
  { keys: ["mod+shift+4"], action: { do: "numberFormat", code: "$#,##0.00" } },
  { keys: ["mod+shift+5"], action: { do: "numberFormat", code: "0%" } },
  { keys: ["mod+shift+6"], action: { do: "numberFormat", code: "0.00E+00" } },
  { keys: ["mod+1"], action: { do: "numberFormats" } },
  { keys: ["mod+shift+7", "alt+shift+7"], action: { do: "border", position: "outer" } },
  { keys: ["alt+shift+1"], action: { do: "border", position: "top" } },
  { keys: ["alt+shift+2"], action: { do: "border", position: "right" } },
  { keys: ["alt+shift+3"], action: { do: "border", position: "bottom" } },
  { keys: ["alt+shift+4"], action: { do: "border", position: "left" } },
  { keys: ["alt+shift+6", "mod+shift+-"], action: { do: "border", position: "none" } },
  { keys: ["mod+shift+l"], action: { do: "align", to: "left" } },
  { keys: ["mod+shift+e"], action: { do: "align", to: "center" } },
  { keys: ["mod+shift+r"], action: { do: "align", to: "right" } },
  { keys: ["mod+\\"], action: { do: "clearFormats" } },
  { keys: ["mod+shift+`"], action: { do: "numberFormat", code: null } },

  { keys: ["F6"], action: { do: "nextRegion" }, isGlobal: true },
  { keys: ["mod+alt+="], action: { do: "insertRowsOrColumns" } },
  { keys: ["mod+alt+-"], action: { do: "deleteRowsOrColumns" } },
  { keys: ["alt+shift+ArrowUp"], action: { do: "moveRowsOrColumns", dimension: "rows", by: -1 } },
  { keys: ["alt+shift+ArrowDown"], action: { do: "moveRowsOrColumns", dimension: "rows", by: 1 } },
  { keys: ["mod+alt+shift+ArrowLeft"], action: { do: "moveRowsOrColumns", dimension: "columns", by: -1 } },
  { keys: ["mod+alt+shift+ArrowRight"], action: { do: "moveRowsOrColumns", dimension: "columns", by: 1 } },
  { keys: ["alt+ArrowDown", "mod+shift+PageDown"], action: { do: "nextSheet", by: 1, opensList: true } },
  { keys: ["alt+ArrowUp", "mod+shift+PageUp"], action: { do: "nextSheet", by: -1 } },
  { keys: ["mod+9"], action: { do: "setHidden", dimension: "rows", hidden: true } },
  { keys: ["mod+shift+9"], action: { do: "setHidden", dimension: "rows", hidden: false } },
  { keys: ["mod+0"], action: { do: "setHidden", dimension: "columns", hidden: true } },
  { keys: ["mod+shift+0"], action: { do: "setHidden", dimension: "columns", hidden: false } },
  { keys: ["alt+shift+ArrowRight"], action: { do: "group", isGrouped: true } },
  { keys: ["alt+shift+ArrowLeft"], action: { do: "group", isGrouped: false } },
  { keys: ["alt+shift+-"], action: { do: "collapse", isCollapsed: true } },
  { keys: ["alt+shift+="], action: { do: "collapse", isCollapsed: false } },
  { keys: ["mod+`"], action: { do: "showFormulas" } },
  { keys: ["mod+alt+m", "shift+F2"], action: { do: "comments" }, isGlobal: true },
  { keys: ["mod+alt+t"], action: { do: "table" } },
  { keys: ["mod+k"], action: { do: "link" } },
  { keys: ["shift+F3"], action: { do: "functions" } },
  { keys: ["mod+alt+shift+h"], action: { do: "history" }, isGlobal: true },
  { keys: ["mod+s"], action: { do: "save" }, isGlobal: true },
  { keys: ["shift+F11"], action: { do: "addSheet" }, isGlobal: true },
  { keys: ["mod+p"], action: { do: "print" }, isGlobal: true },
  { keys: ["F1", "mod+/"], action: { do: "help" }, isGlobal: true },
];

/** The used properties of a `KeyboardEvent`. */
export interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Keys whose character depends on Shift are named by their position on the keyboard. */
const NAMES_BY_CODE: Readonly<Record<string, string>> = {
  Semicolon: ";",
  Equal: "=",
  Minus: "-",
  Backquote: "`",
  Slash: "/",
  Backslash: "\\",
};

/** Name of a pressed key with its modifiers, in the notation of the table. */
export function keyName(pressed: PressedKey, isApple: boolean): string {
  const isMod = isApple ? pressed.metaKey : pressed.ctrlKey;
  const hasModifier = isMod || pressed.altKey;
  const digit = /^Digit(\d)$/.exec(pressed.code)?.[1];
  const letter = /^Key([A-Z])$/.exec(pressed.code)?.[1]?.toLowerCase();
  const byCode = hasModifier ? (digit ?? NAMES_BY_CODE[pressed.code]) : undefined;
  // On keyboards with other alphabets, Ctrl+C is at the position of the Latin C.
  const isLatin = /^[\x20-\x7e]$/.test(pressed.key);
  const key = byCode ?? (hasModifier && letter && !isLatin ? letter : pressed.key);
  return [
    isMod ? "mod+" : "",
    pressed.altKey ? "alt+" : "",
    pressed.shiftKey ? "shift+" : "",
    key.length === 1 ? key.toLowerCase() : key,
  ].join("");
}

const ACTIONS: ReadonlyMap<string, KeyBinding> = new Map(
  KEYMAP.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)),
);

/** The binding of a pressed key, if there is one. */
export function bindingFor(pressed: PressedKey, isApple: boolean): KeyBinding | undefined {
  return ACTIONS.get(keyName(pressed, isApple));
}

/**
 * Formats a key: `mod+shift+z` → `Ctrl+Shift+Z` or `⌘⇧Z`. `translate` maps English key names to
 * localized ones.
 */
export function showKey(name: string, isApple: boolean, translate = (word: string): string => word): string {
  const parts = name === "mod++" ? ["mod", "+"] : name.split("+");
  const names = parts.map((part) => KEY_WORDS[part]?.[isApple ? 1 : 0] ?? (part.length === 1 ? part.toUpperCase() : part));
  return names.map(translate).join(isApple ? "" : "+");
}

const KEY_WORDS: Readonly<Record<string, readonly [other: string, apple: string]>> = {
  mod: ["Ctrl", "⌘"],
  alt: ["Alt", "⌥"],
  shift: ["Shift", "⇧"],
  " ": ["Space", "Space"],
  ArrowUp: ["↑", "↑"],
  ArrowDown: ["↓", "↓"],
  ArrowLeft: ["←", "←"],
  ArrowRight: ["→", "→"],
  Escape: ["Esc", "esc"],
  Delete: ["Delete", "⌦"],
  Backspace: ["Backspace", "⌫"],
  PageUp: ["Page Up", "Page Up"],
  PageDown: ["Page Down", "Page Down"],
};
