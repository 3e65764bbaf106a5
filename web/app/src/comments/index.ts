/** Comments with reactions and tasks, and notifications. The panels are loaded on first use. */

export { NotificationButton } from "./NotificationButton.tsx";

/** The names of people, which lists load when they open. */
export const loadKnownPeople = () => import("./known-people.ts");
