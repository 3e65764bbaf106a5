/** All states of the gallery: each panel, dialog, menu, empty state and error. */

import type { State } from "./state.ts";
import { accounts } from "./states/accounts.ts";
import { admin } from "./states/admin.ts";
import { closeCodes } from "./states/close-codes.ts";
import { dialogs } from "./states/dialogs.ts";
import { menus } from "./states/menus.ts";
import { panels } from "./states/panels.ts";
import { shapes } from "./states/shapes.ts";
import { sharing } from "./states/sharing.ts";
import { sheet } from "./states/sheet.ts";
import { start } from "./states/start.ts";
import { errors } from "./states/errors.ts";

/** States by group; each group is one test. */
export const GROUPS: Readonly<Record<string, readonly State[]>> = { start, sheet, menus, dialogs, panels, shapes, sharing, errors, closeCodes, accounts, admin };

export const STATES: readonly State[] = Object.values(GROUPS).flat();
