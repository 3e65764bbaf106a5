/**
 * Menus, dialogs and popovers on the headless components of Kobalte. They are a quarter of the
 * scripts and are not needed before cells are visible, so they are loaded separately: only
 * `../load-overlays.ts` imports this file.
 */

export { Menu, MenuCheck, MenuItem, MenuSeparator, PointMenu } from "./menu.tsx";
export { Modal } from "./modal.tsx";
export { Popover } from "./popover.tsx";
