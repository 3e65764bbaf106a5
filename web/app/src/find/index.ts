export { FindModel } from "./find.ts";
