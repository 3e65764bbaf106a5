export * from "./keymap.ts";
export * from "./reference-pointing.ts";
export * from "./shortcuts.ts";
export * from "./clipboard.ts";
export * from "./completion.ts";
export * from "./text-runs.ts";
export * from "./tokens.ts";
export { A1, type Notation } from "./notation.ts";
