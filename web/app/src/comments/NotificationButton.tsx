/** The button that opens the notifications, with the number of unread ones. */

import { createEffect, createSignal, on, onCleanup, Show } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notificationListOf } from "./notification-list.ts";
import { notificationTitle } from "./notification-title.ts";
import "../style/chat.css";

const COUNTED_MAX = 99;

/** The bell of the header. */
export function NotificationButton(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const list = notificationListOf(model);
  onCleanup(() => list.dispose());
  const isOpen = () => model.panel() === "notifications";
  const unread = () => (isOpen() ? 0 : list.unread().length);
  const label = () => (unread() > 0 ? t("Notifications, unread: {count}", { count: unread() }) : t("Notifications"));
  const [announcement, setAnnouncement] = createSignal("");
  // The first notifications are those of earlier visits.
  createEffect(
    on(
      () => list.unread()[0],
      (newest, before) => {
        if (newest && before !== undefined && newest.key !== before.key && !isOpen()) {
          setAnnouncement(notificationTitle(newest));
        }
      },
      { defer: true },
    ),
  );
  return (
    <>
      <button
        type="button"
        class="tool notification-button"
        aria-label={label()}
        title={label()}
        aria-pressed={isOpen()}
        onClick={() => (isOpen() ? model.closePanel() : model.openPanel("notifications"))}
      >
        <span class="chat-icon">
          <svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">
            <path d="M10 3a4.500 4.500 0 0 1 4.500 4.500c0 4 1.500 5 1.500 6H4c0-1 1.500-2 1.500-6A4.500 4.500 0 0 1 10 3zM8.500 16a1.600 1.600 0 0 0 3 0" />
          </svg>
          <Show when={unread() > 0}>
            <span class="chat-unread" aria-hidden="true">
              {unread() > COUNTED_MAX ? `${showNumber(COUNTED_MAX)}+` : showNumber(unread())}
            </span>
          </Show>
        </span>
      </button>
      <span class="chat-announcement" role="status">
        {announcement()}
      </span>
    </>
  );
}
