/**
 * What opens over the page, on Kobalte's headless parts. They are a quarter of the page's scripts and nobody can open
 * anything before there are cells, so they are loaded apart: only `../load-overlays.ts` imports this.
 */

export { Menu, MenuCheck, MenuItem, MenuLine, MenuLink, PointMenu } from "./menu.tsx";
export { Modal } from "./modal.tsx";
export { Popover } from "./popover.tsx";
