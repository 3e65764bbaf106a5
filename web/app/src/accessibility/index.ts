/** Announcements and descriptions for screen readers. */

export { announceable, Announcer } from "./announcer.ts";
export { gridDescriptions } from "./grid-descriptions.ts";
export { speakHistory, speakPlace, speakSelection, speakToggle } from "./spoken-actions.ts";
