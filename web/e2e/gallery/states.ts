/** Every panel, dialog, menu, empty and error state of the page. */

import type { State } from "./state.ts";
import { closings } from "./states/closings.ts";
import { dialogs } from "./states/dialogs.ts";
import { menus } from "./states/menus.ts";
import { panels } from "./states/panels.ts";
import { sheet } from "./states/sheet.ts";
import { start } from "./states/start.ts";
import { troubles } from "./states/troubles.ts";

/** By what they are, so that a test of all of them can be divided. */
export const GROUPS: Readonly<Record<string, readonly State[]>> = { start, sheet, menus, dialogs, panels, troubles, closings };

export const STATES: readonly State[] = Object.values(GROUPS).flat();
