export { canTakeFocus, embedding, watchPresses } from "./mode.ts";
