export { Keys } from "./key-commands.ts";
export { isApple, keyShown } from "./key-names.ts";
