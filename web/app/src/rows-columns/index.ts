export { OutlineBar } from "./OutlineBars.tsx";
export { AutoFit } from "./auto-fit.ts";
export { Outline } from "./outline.ts";
export { Lines } from "./rows-columns.ts";
