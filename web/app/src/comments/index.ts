/** Comments with reactions and tasks, and notifications. The panels are loaded on first use. */

export { NotificationButton } from "./NotificationButton.tsx";

/** Loads the names of people for the list of a cell. */
export const loadKnownPeople = () => import("./known-people.ts");
