/** Opens the chat, and says whether something there has not been read. */

import { createEffect, createSignal, on, onCleanup, Show } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { chatOf } from "./chat.ts";
import "../style/chat.css";

const COUNTED_MAX = 99;

export default function ChatButton(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const chat = chatOf(model);
  onCleanup(() => chat.dispose());
  const isOpen = () => model.panel() === "chat";
  const unread = () => (isOpen() ? 0 : chat.unread().length);
  const label = () => (unread() > 0 ? t("Chat, unread: {count}", { count: unread() }) : t("Chat"));
  const [told, setTold] = createSignal("");
  // Who has the panel open hears the words there.
  createEffect(
    on(chat.news, (remark) => {
      if (remark && !isOpen()) {
        const words = t("{name} wrote in the chat", { name: remark.name });
        // The same words twice are told twice.
        setTold((before) => (before === words ? `${words}\u00a0` : words));
      }
    }),
  );
  return (
    <>
      <button
        type="button"
        class="tool chat-button"
        aria-label={label()}
        title={label()}
        aria-pressed={isOpen()}
        onClick={() => (isOpen() ? model.closePanel() : model.openPanel("chat"))}
      >
        <span class="chat-sign">
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
      <span class="chat-told" role="status">
        {told()}
      </span>
    </>
  );
}
