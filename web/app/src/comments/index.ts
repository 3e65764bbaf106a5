/** Comments with reactions and tasks, and notifications. The panels are loaded on first use. */

export { NotificationButton } from "./NotificationButton.tsx";
