/** What a notification says. */

import { t } from "../language/index.ts";
import type { Notification } from "./notifications.ts";

/** Who has done what. */
export function notificationTitle({ kind, who: name, text }: Notification): string {
  switch (kind) {
    case "mention":
      return t("{name} mentioned you", { name });
    case "reply":
      return t("{name} replied", { name });
    case "assigned":
      return t("{name} assigned you a task", { name });
    case "done":
      return t("{name} marked a task as done", { name });
    case "reaction":
      return t("{name} reacted with {emoji}", { name, emoji: text });
    case "suggestion":
      return t("{name} suggested changes", { name: name === "" ? t("Unknown") : name });
    default:
      return unknown(kind);
  }
}

function unknown(kind: never): never {
  throw new Error(`unknown notification: ${String(kind)}`);
}
