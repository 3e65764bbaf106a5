export * from "./keymap.ts";
export * from "./pointing.ts";
export * from "./clipboard.ts";
