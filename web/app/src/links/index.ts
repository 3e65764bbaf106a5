export { linkTarget } from "./addresses.ts";
