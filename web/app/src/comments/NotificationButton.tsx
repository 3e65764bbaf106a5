/** The button that opens the notifications, with the number of unread ones. */

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import { announceable } from "../accessibility/index.ts";
import { UnreadButton } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notificationListOf } from "./notification-list.ts";
import { notificationTitle } from "./notification-title.ts";

/** The bell of the header. */
export function NotificationButton(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const list = notificationListOf(model);
  onCleanup(() => list.dispose());
  const isOpen = () => model.panel() === "notifications";
  const unread = () => (isOpen() ? 0 : list.unread().length);
  const [announcement, setAnnouncement] = createSignal("");
  createEffect(
    on(list.newest, (notification) => {
      if (notification && !isOpen()) {
        setAnnouncement((before) => announceable(notificationTitle(notification), before));
      }
    }),
  );
  return (
    <UnreadButton
      class="notification-button"
      label={unread() > 0 ? t("Notifications, unread: {count}", { count: unread() }) : t("Notifications")}
      isPressed={isOpen()}
      unreadCount={unread()}
      icon="M10 3a4.500 4.500 0 0 1 4.500 4.500c0 4 1.500 5 1.500 6H4c0-1 1.500-2 1.500-6A4.500 4.500 0 0 1 10 3zM8.500 16a1.600 1.600 0 0 0 3 0"
      announcement={announcement()}
      onClick={() => (isOpen() ? model.closePanel() : model.openPanel("notifications"))}
    />
  );
}
