export { Announcer } from "./announcer.ts";
export { gridDescriptions } from "./grid-descriptions.ts";
