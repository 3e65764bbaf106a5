/** Announcements and descriptions for screen readers. */

export { Announcer } from "./announcer.ts";
export { gridDescriptions } from "./grid-descriptions.ts";
