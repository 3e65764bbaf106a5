export { Keys } from "./key-commands.ts";
export { isApple, keyLabel } from "./key-names.ts";
