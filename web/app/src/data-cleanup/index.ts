export { trimWhitespace } from "./trim-whitespace.ts";
