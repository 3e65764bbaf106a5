/**
 * The keyboard shortcuts: the client executes this table and the help dialog lists it.
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
  | { readonly do: SimpleAction };

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
  /** Label in the help dialog; a binding without a label is a variant of the previous one. */
  readonly label?: string;
  readonly group: "Navigation" | "Selection" | "Edit" | "Format" | "Rows, columns, sheets";
  /** Also active if neither the cells nor the formula bar have the focus. */
  readonly isGlobal?: boolean;
}

const move = (rows: number, columns: number): Action => ({ do: "move", rows, columns });
const extend = (rows: number, columns: number): Action => ({ do: "extend", rows, columns });

/** All shortcuts. */
export const KEYMAP: readonly KeyBinding[] = [
  { group: "Navigation", label: "Move one cell", keys: ["ArrowUp"], action: move(-1, 0) },
  { group: "Navigation", keys: ["ArrowDown"], action: move(1, 0) },
  { group: "Navigation", keys: ["ArrowLeft"], action: move(0, -1) },
  { group: "Navigation", keys: ["ArrowRight"], action: move(0, 1) },
  {
    group: "Navigation",
    label: "Move to data edge",
    keys: ["mod+ArrowUp"],
    action: { do: "edge", direction: "up", extends: false },
  },
  { group: "Navigation", keys: ["mod+ArrowDown"], action: { do: "edge", direction: "down", extends: false } },
  { group: "Navigation", keys: ["mod+ArrowLeft"], action: { do: "edge", direction: "left", extends: false } },
  { group: "Navigation", keys: ["mod+ArrowRight"], action: { do: "edge", direction: "right", extends: false } },
  {
    group: "Navigation",
    label: "Complete entry and move down",
    keys: ["Enter"],
    action: { do: "nextCell", down: true, back: false },
  },
  {
    group: "Navigation",
    label: "Complete entry and move up",
    keys: ["shift+Enter"],
    action: { do: "nextCell", down: true, back: true },
  },
  {
    group: "Navigation",
    label: "Complete entry and move right",
    keys: ["Tab"],
    action: { do: "nextCell", down: false, back: false },
  },
  {
    group: "Navigation",
    label: "Complete entry and move left",
    keys: ["shift+Tab"],
    action: { do: "nextCell", down: false, back: true },
  },
  { group: "Navigation", label: "Move to row start", keys: ["Home"], action: { do: "rowStart", extends: false } },
  {
    group: "Navigation",
    label: "Move to row end",
    keys: ["End"],
    action: { do: "rowEnd", extends: false },
  },
  { group: "Navigation", label: "Move to A1", keys: ["mod+Home"], action: { do: "sheetStart", extends: false } },
  { group: "Navigation", label: "Move to sheet end", keys: ["mod+End"], action: { do: "sheetEnd", extends: false } },
  {
    group: "Navigation",
    label: "Move one page up",
    keys: ["PageUp"],
    action: { do: "page", pages: -1, sideways: false, extends: false },
  },
  {
    group: "Navigation",
    label: "Move one page down",
    keys: ["PageDown"],
    action: { do: "page", pages: 1, sideways: false, extends: false },
  },
  {
    group: "Navigation",
    label: "Move one page left",
    keys: ["alt+PageUp"],
    action: { do: "page", pages: -1, sideways: true, extends: false },
  },
  {
    group: "Navigation",
    label: "Move one page right",
    keys: ["alt+PageDown"],
    action: { do: "page", pages: 1, sideways: true, extends: false },
  },
  { group: "Navigation", label: "Go to range", keys: ["mod+g"], action: { do: "goTo" }, isGlobal: true },
  { group: "Navigation", label: "Scroll to active cell", keys: ["mod+Backspace"], action: { do: "scrollToActive" } },

  { group: "Selection", label: "Extend one cell", keys: ["shift+ArrowUp"], action: extend(-1, 0) },
  { group: "Selection", keys: ["shift+ArrowDown"], action: extend(1, 0) },
  { group: "Selection", keys: ["shift+ArrowLeft"], action: extend(0, -1) },
  { group: "Selection", keys: ["shift+ArrowRight"], action: extend(0, 1) },
  {
    group: "Selection",
    label: "Extend to data edge",
    keys: ["mod+shift+ArrowUp"],
    action: { do: "edge", direction: "up", extends: true },
  },
  { group: "Selection", keys: ["mod+shift+ArrowDown"], action: { do: "edge", direction: "down", extends: true } },
  { group: "Selection", keys: ["mod+shift+ArrowLeft"], action: { do: "edge", direction: "left", extends: true } },
  { group: "Selection", keys: ["mod+shift+ArrowRight"], action: { do: "edge", direction: "right", extends: true } },
  { group: "Selection", label: "Extend to row start", keys: ["shift+Home"], action: { do: "rowStart", extends: true } },
  {
    group: "Selection",
    label: "Extend to row end",
    keys: ["shift+End"],
    action: { do: "rowEnd", extends: true },
  },
  { group: "Selection", label: "Extend to A1", keys: ["mod+shift+Home"], action: { do: "sheetStart", extends: true } },
  {
    group: "Selection",
    label: "Extend to sheet end",
    keys: ["mod+shift+End"],
    action: { do: "sheetEnd", extends: true },
  },
  {
    group: "Selection",
    label: "Extend one page",
    keys: ["shift+PageUp"],
    action: { do: "page", pages: -1, sideways: false, extends: true },
  },
  {
    group: "Selection",
    keys: ["shift+PageDown"],
    action: { do: "page", pages: 1, sideways: false, extends: true },
  },
  {
    group: "Selection",
    label: "Select all",
    keys: ["mod+a", "mod+shift+8"],
    action: { do: "selectAll" },
  },
  { group: "Selection", label: "Everything", keys: ["mod+shift+ "], action: { do: "selectEverything" } },
  { group: "Selection", label: "Select whole rows", keys: ["shift+ "], action: { do: "selectRows" } },
  { group: "Selection", label: "Select whole columns", keys: ["mod+ "], action: { do: "selectColumns" } },

  { group: "Edit", label: "Edit the cell", keys: ["F2"], action: { do: "edit" } },
  { group: "Edit", label: "Cancel entry", keys: ["Escape"], action: { do: "cancel" } },
  { group: "Edit", label: "Clear selected cells", keys: ["Delete"], action: { do: "clear" } },
  { group: "Edit", label: "Clear cell and edit", keys: ["Backspace"], action: { do: "clearAndEdit" } },
  {
    group: "Edit",
    label: "Insert line break",
    keys: ["alt+Enter"],
    action: { do: "newLine" },
  },
  {
    group: "Edit",
    label: "Fill range with entry",
    keys: ["mod+Enter"],
    action: { do: "fillSelection" },
  },
  { group: "Edit", label: "Toggle absolute reference", keys: ["F4"], action: { do: "cycleAbsolute" } },
  { group: "Edit", label: "Break formula into lines", keys: ["mod+shift+u"], action: { do: "toggleLines" } },
  { group: "Edit", label: "Toggle checkbox", keys: [" "], action: { do: "toggleCheckbox" } },
  { group: "Edit", label: "Undo your last change", keys: ["mod+z"], action: { do: "undo" }, isGlobal: true },
  { group: "Edit", label: "Redo", keys: ["mod+y", "mod+shift+z"], action: { do: "redo" }, isGlobal: true },
  { group: "Edit", label: "Find", keys: ["mod+f"], action: { do: "find" }, isGlobal: true },
  { group: "Edit", label: "Find and replace", keys: ["mod+h"], action: { do: "replace" }, isGlobal: true },
  { group: "Edit", label: "Fill down", keys: ["mod+d"], action: { do: "fillDown" } },
  { group: "Edit", label: "Fill to the right", keys: ["mod+r"], action: { do: "fillRight" } },
  { group: "Edit", label: "Fill by example", keys: ["mod+e"], action: { do: "fillByExample" } },
  { group: "Edit", label: "Copy", keys: ["mod+c"], action: { do: "copy" } },
  { group: "Edit", label: "Cut", keys: ["mod+x"], action: { do: "cut" } },
  { group: "Edit", label: "Paste", keys: ["mod+v"], action: { do: "paste" } },
  { group: "Edit", label: "Paste values only", keys: ["mod+shift+v"], action: { do: "pasteValues" } },
  { group: "Edit", label: "Paste special", keys: ["mod+alt+v"], action: { do: "pasteSpecial" } },
  { group: "Edit", label: "Insert current date", keys: ["mod+;"], action: { do: "insertNow", what: "date" } },
  { group: "Edit", label: "Insert current time", keys: ["mod+shift+;"], action: { do: "insertNow", what: "time" } },
  { group: "Edit", label: "Sum", keys: ["alt+="], action: { do: "sum" } },

  { group: "Format", label: "Bold", keys: ["mod+b"], action: { do: "toggle", attribute: "bold" } },
  { group: "Format", label: "Italic", keys: ["mod+i"], action: { do: "toggle", attribute: "italic" } },
  { group: "Format", label: "Underline", keys: ["mod+u"], action: { do: "toggle", attribute: "underline" } },
  {
    group: "Format",
    label: "Strikethrough",
    keys: ["alt+shift+5", "mod+5"],
    action: { do: "toggle", attribute: "strikethrough" },
  },
  { group: "Format", label: "Number", keys: ["mod+shift+1"], action: { do: "numberFormat", code: "#,##0.00" } },
  { group: "Format", label: "Time", keys: ["mod+shift+2"], action: { do: "numberFormat", code: "h:mm AM/PM" } },
  { group: "Format", label: "Date", keys: ["mod+shift+3"], action: { do: "numberFormat", code: "yyyy-mm-dd" } },
  { group: "Format", label: "Currency", keys: ["mod+shift+4"], action: { do: "numberFormat", code: "$#,##0.00" } },
  { group: "Format", label: "Percent", keys: ["mod+shift+5"], action: { do: "numberFormat", code: "0%" } },
  { group: "Format", label: "Scientific", keys: ["mod+shift+6"], action: { do: "numberFormat", code: "0.00E+00" } },
  { group: "Format", label: "Custom number format", keys: ["mod+1"], action: { do: "numberFormats" } },
  { group: "Format", label: "Outer borders", keys: ["mod+shift+7", "alt+shift+7"], action: { do: "border", position: "outer" } },
  { group: "Format", label: "Top border", keys: ["alt+shift+1"], action: { do: "border", position: "top" } },
  { group: "Format", label: "Right border", keys: ["alt+shift+2"], action: { do: "border", position: "right" } },
  { group: "Format", label: "Bottom border", keys: ["alt+shift+3"], action: { do: "border", position: "bottom" } },
  { group: "Format", label: "Left border", keys: ["alt+shift+4"], action: { do: "border", position: "left" } },
  { group: "Format", label: "No borders", keys: ["alt+shift+6", "mod+shift+-"], action: { do: "border", position: "none" } },
  { group: "Format", label: "Align left", keys: ["mod+shift+l"], action: { do: "align", to: "left" } },
  { group: "Format", label: "Align centre", keys: ["mod+shift+e"], action: { do: "align", to: "center" } },
  { group: "Format", label: "Align right", keys: ["mod+shift+r"], action: { do: "align", to: "right" } },
  { group: "Format", label: "Clear formats", keys: ["mod+\\"], action: { do: "clearFormats" } },
  { group: "Format", label: "General", keys: ["mod+shift+`"], action: { do: "numberFormat", code: null } },

  {
    group: "Navigation",
    label: "Switch between cells and menus",
    keys: ["F6"],
    action: { do: "nextRegion" },
    isGlobal: true,
  },
  {
    group: "Rows, columns, sheets",
    label: "Insert rows or columns",
    keys: ["mod+alt+="],
    action: { do: "insertRowsOrColumns" },
  },
  {
    group: "Rows, columns, sheets",
    label: "Delete rows or columns",
    keys: ["mod+alt+-"],
    action: { do: "deleteRowsOrColumns" },
  },
  {
    group: "Rows, columns, sheets",
    label: "Move rows up/down",
    keys: ["alt+shift+ArrowUp"],
    action: { do: "moveRowsOrColumns", dimension: "rows", by: -1 },
  },
  {
    group: "Rows, columns, sheets",
    keys: ["alt+shift+ArrowDown"],
    action: { do: "moveRowsOrColumns", dimension: "rows", by: 1 },
  },
  {
    group: "Rows, columns, sheets",
    label: "Move columns left/right",
    keys: ["mod+alt+shift+ArrowLeft"],
    action: { do: "moveRowsOrColumns", dimension: "columns", by: -1 },
  },
  {
    group: "Rows, columns, sheets",
    keys: ["mod+alt+shift+ArrowRight"],
    action: { do: "moveRowsOrColumns", dimension: "columns", by: 1 },
  },
  {
    group: "Rows, columns, sheets",
    label: "Next sheet",
    keys: ["alt+ArrowDown", "mod+shift+PageDown"],
    action: { do: "nextSheet", by: 1, opensList: true },
  },
  {
    group: "Rows, columns, sheets",
    label: "Previous sheet",
    keys: ["alt+ArrowUp", "mod+shift+PageUp"],
    action: { do: "nextSheet", by: -1 },
  },
  {
    group: "Rows, columns, sheets",
    label: "Hide rows",
    keys: ["mod+9"],
    action: { do: "setHidden", dimension: "rows", hidden: true },
  },
  {
    group: "Rows, columns, sheets",
    label: "Unhide rows",
    keys: ["mod+shift+9"],
    action: { do: "setHidden", dimension: "rows", hidden: false },
  },
  {
    group: "Rows, columns, sheets",
    label: "Hide columns",
    keys: ["mod+0"],
    action: { do: "setHidden", dimension: "columns", hidden: true },
  },
  {
    group: "Rows, columns, sheets",
    label: "Unhide columns",
    keys: ["mod+shift+0"],
    action: { do: "setHidden", dimension: "columns", hidden: false },
  },
  {
    group: "Rows, columns, sheets",
    label: "Group rows or columns",
    keys: ["alt+shift+ArrowRight"],
    action: { do: "group", isGrouped: true },
  },
  {
    group: "Rows, columns, sheets",
    label: "Ungroup rows or columns",
    keys: ["alt+shift+ArrowLeft"],
    action: { do: "group", isGrouped: false },
  },
  {
    group: "Rows, columns, sheets",
    label: "Collapse group",
    keys: ["alt+shift+-"],
    action: { do: "collapse", isCollapsed: true },
  },
  {
    group: "Rows, columns, sheets",
    label: "Expand group",
    keys: ["alt+shift+="],
    action: { do: "collapse", isCollapsed: false },
  },
  { group: "Navigation", label: "Show or hide formulas", keys: ["mod+`"], action: { do: "showFormulas" } },
  { group: "Edit", label: "Comments and notes", keys: ["mod+alt+m", "shift+F2"], action: { do: "comments" }, isGlobal: true },
  { group: "Edit", label: "Table", keys: ["mod+alt+t"], action: { do: "table" } },
  { group: "Edit", label: "Link", keys: ["mod+k"], action: { do: "link" } },
  { group: "Edit", label: "Functions", keys: ["shift+F3"], action: { do: "functions" } },
  { group: "Edit", label: "History", keys: ["mod+alt+shift+h"], action: { do: "history" }, isGlobal: true },
  { group: "Edit", label: "Save (changes save automatically)", keys: ["mod+s"], action: { do: "save" }, isGlobal: true },
  { group: "Rows, columns, sheets", label: "Add sheet", keys: ["shift+F11"], action: { do: "addSheet" }, isGlobal: true },
  { group: "Edit", label: "Print", keys: ["mod+p"], action: { do: "print" }, isGlobal: true },
  { group: "Rows, columns, sheets", label: "Keyboard shortcuts", keys: ["F1", "mod+/"], action: { do: "help" }, isGlobal: true },
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
