/** Names of the events of the audit log (`crates/access/src/audit.rs`). */

import { type Message, t } from "../../language/index.ts";

const TEXTS: Readonly<Record<string, Message>> = {
  workbook_created: "Workbook created",
  workbook_claimed: "Workbook claimed",
  workbook_trashed: "Workbook moved to the trash",
  workbook_restored: "Workbook restored",
  workbook_deleted: "Workbook deleted",
  workbook_exported: "Workbook exported",
  revision_restored: "Earlier version restored",
  changes_undone: "Changes of one author undone",
  owner_changed: "Owner changed",
  general_access_changed: "General access changed",
  person_added: "Person added",
  person_changed: "Role of a person changed",
  person_removed: "Person removed",
  link_created: "Share link created",
  link_changed: "Share link changed",
  link_revoked: "Share link revoked",
  link_password_failed: "Wrong password of a share link",
  import_allowed: "Import allowed",
  import_revoked: "Import revoked",
  access_requested: "Access requested",
  access_request_answered: "Access request answered",
  access_denied: "Access denied",
  signed_in: "Signed in",
  sign_in_failed: "Sign-in failed",
  signed_out: "Signed out",
  session_ended: "Session ended",
  account_created: "Account created",
  account_changed: "Account changed",
  account_disabled: "Account disabled",
  account_deleted: "Account deleted",
  account_exported: "Account data downloaded",
  identity_added: "Sign-in provider connected",
  identity_removed: "Sign-in provider disconnected",
  passkey_added: "Passkey added",
  passkey_removed: "Passkey removed",
  password_changed: "Password changed",
  recovery_requested: "New password requested",
  token_created: "Token created",
  token_revoked: "Token revoked",
  token_refused: "Token refused",
  quota_changed: "Quota changed",
  webhook_created: "Webhook created",
  webhook_changed: "Webhook changed",
  webhook_deleted: "Webhook deleted",
  webhook_replayed: "Webhook replayed",
  form_created: "Form created",
  form_changed: "Form changed",
  form_deleted: "Form deleted",
  form_link_renewed: "New link of a form",
  form_link_revoked: "Link of a form revoked",
  publication_created: "Page published",
  publication_stopped: "Publishing of a page stopped",
  settings_read: "Settings read",
};

/** All events, in the order of the list of choices. */
export const EVENTS: readonly string[] = Object.keys(TEXTS);

/** The name of an event; that of the server for an unknown one. */
export function eventText(event: string): string {
  const text = TEXTS[event];
  return text === undefined ? event : t(text);
}
