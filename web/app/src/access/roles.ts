/** The names of roles on the page, as Google Drive calls them. */

import { t } from "../language/index.ts";
import type { GeneralAccess, SharedRole, WorkbookAccess } from "./access-api.ts";

/** The roles that can be given away, the highest first. */
export const SHARED_ROLES: readonly SharedRole[] = ["edit", "comment", "view"];

/** The name of a role. */
export function roleName(role: "owner" | SharedRole): string {
  switch (role) {
    case "owner":
      return t("Owner");
    case "edit":
      return t("Editor");
    case "comment":
      return t("Commenter");
    case "view":
      return t("Viewer");
  }
}

/** The role of everybody who knows the address; `undefined` when there is none. */
export function generalRole({ general, defaultRole }: Pick<WorkbookAccess, "general" | "defaultRole">): SharedRole | undefined {
  return general === "default" ? (defaultRole ?? undefined) : general === "restricted" ? undefined : general;
}

/** What the general access means. */
export function generalText(role: SharedRole | undefined): string {
  switch (role) {
    case undefined:
      return t("Only people with access can open the workbook with the link.");
    case "view":
      return t("Anyone who knows the address can view.");
    case "comment":
      return t("Anyone who knows the address can comment.");
    case "edit":
      return t("Anyone who knows the address can edit.");
  }
}

/** The general access that gives a role. */
export function generalOf(role: SharedRole | undefined): GeneralAccess {
  return role ?? "restricted";
}
