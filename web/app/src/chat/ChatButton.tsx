/**
 * The buttons of the header that are loaded after the sheet: of notifications, and of the chat with
 * the number of unread messages. They are one request.
 */

import { createEffect, createSignal, on, onCleanup, Show } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { NotificationButton } from "../comments/index.ts";
import { chatOf } from "./chat.ts";
import "../style/chat.css";

const COUNTED_MAX = 99;

/** The buttons of notifications and of the chat. */
export function ChatButton(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const chat = chatOf(model);
  onCleanup(() => chat.dispose());
  const isOpen = () => model.panel() === "chat";
  const unread = () => (isOpen() ? 0 : chat.unread().length);
  const label = () => (unread() > 0 ? t("Chat, unread: {count}", { count: unread() }) : t("Chat"));
  const [announcement, setAnnouncement] = createSignal("");
  // With the open panel, its log announces the message.
  createEffect(
    on(chat.newestByOthers, (message) => {
      if (message && !isOpen()) {
        const text = t("{name} wrote in the chat", { name: message.name });
        // A trailing no-break space makes a repeated text different, so that it is announced again.
        setAnnouncement((before) => (before === text ? `${text}\u00a0` : text));
      }
    }),
  );
  return (
    <>
      <NotificationButton model={model} />
      <button
        type="button"
        class="tool chat-button"
        aria-label={label()}
        title={label()}
        aria-pressed={isOpen()}
        onClick={() => (isOpen() ? model.closePanel() : model.openPanel("chat"))}
      >
        <span class="chat-icon">
          <svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" aria-hidden="true">
            <path d="M2.500 3.500h10v7H7L4.500 13v-2.500h-2zM15 7h2.500v7h-2v2.500L13 14H8v-1" />
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
