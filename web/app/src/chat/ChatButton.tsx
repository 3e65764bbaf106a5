/** The button that opens the chat, with the number of unread messages. */

import { createEffect, createSignal, on, onCleanup } from "solid-js";
import { announceable } from "../accessibility/index.ts";
import { UnreadButton } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chatOf } from "./chat.ts";

/** The button of the chat in the header. */
export function ChatButton(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const chat = chatOf(model);
  onCleanup(() => chat.dispose());
  const isOpen = () => model.panel() === "chat";
  const unread = () => (isOpen() ? 0 : chat.unread().length);
  const [announcement, setAnnouncement] = createSignal("");
  // With the open panel, its log announces the message.
  createEffect(
    on(chat.newestByOthers, (message) => {
      if (message && !isOpen()) {
        setAnnouncement((before) => announceable(t("{name} wrote in the chat", { name: message.name }), before));
      }
    }),
  );
  return (
    <UnreadButton
      class="chat-button"
      label={unread() > 0 ? t("Chat, unread: {count}", { count: unread() }) : t("Chat")}
      isPressed={isOpen()}
      unreadCount={unread()}
      icon="M2.500 3.500h10v7H7L4.500 13v-2.500h-2zM15 7h2.500v7h-2v2.500L13 14H8v-1"
      announcement={announcement()}
      onClick={() => (isOpen() ? model.closePanel() : model.openPanel("chat"))}
    />
  );
}
