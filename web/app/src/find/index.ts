/** Find and replace. `FindPanel.tsx` is loaded when the panel is first opened. */

export { FindModel } from "./find.ts";
