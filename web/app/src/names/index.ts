export { nameError } from "./valid-names.ts";
