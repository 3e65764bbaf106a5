/** The chat panel: the messages of the room and a field for a new one. */

import { cssColor, currentRange, textColorOn, rangeName } from "@quadrille/grid";
import { createEffect, createSignal, For, type JSX, on, onMount, Show } from "solid-js";
import { initials } from "../presence/index.ts";
import { language, type Message, moment, t } from "../language/index.ts";
import { Icon, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type CellReference, sheetPrefix } from "../references/index.ts";
import { type Chat, chatOf, TEXT_MAX } from "./chat.ts";
import type { ChatMessage, ChatRejectionReason } from "./frames.ts";
import { messageParts } from "./message-parts.ts";
import "../style/chat.css";

/** Messages of one person within this time are grouped under one name. */
const GROUP_MS = 300_000;

const REASONS: Readonly<Record<ChatRejectionReason, Message>> = {
  forbidden: "You can read this chat but not write.",
  badText: "This message is too long. At most 2,000 characters are sent at once.",
  tooFast: "You are sending messages too fast. Wait a moment, then try again.",
  notStored: "The server could not store this message. Send it again.",
};

/** The panel with the chat of the room. */
export function ChatPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const chat = chatOf(model);
  let list!: HTMLDivElement;
  let isAtEnd = true;
  const scrollToEnd = (): void => {
    list.scrollTop = list.scrollHeight;
  };
  onMount(scrollToEnd);
  createEffect(
    on([chat.chatMessages, chat.unsent], () => {
      if (document.visibilityState === "visible") {
        chat.read();
      }
      // The list scrolls to the end only if it was at the end.
      if (isAtEnd || chat.unsent().length > 0) {
        queueMicrotask(scrollToEnd);
      }
    }),
  );
  const startsGroup = (at: number): boolean => {
    const [before, message] = [chat.chatMessages()[at - 1], chat.chatMessages()[at]];
    return !before || !message || before.name !== message.name || before.color !== message.color || message.timeMs - before.timeMs > GROUP_MS;
  };
  const startsDay = (at: number): boolean => {
    const [before, message] = [chat.chatMessages()[at - 1], chat.chatMessages()[at]];
    return message !== undefined && (!before || new Date(before.timeMs).toDateString() !== new Date(message.timeMs).toDateString());
  };
  return (
    <Panel title={t("Chat")} onClose={() => model.closePanel()}>
      <div class="chat">
        <div
          ref={list}
          class="chat-list"
          role="log"
          aria-label={t("Messages")}
          tabIndex={0}
          onScroll={() => {
            isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
          }}
          onFocus={() => chat.read()}
        >
          <Show when={chat.chatMessages().length === 0 && chat.unsent().length === 0}>
            <p class="panel-note">
              {!chat.isCaughtUp()
                ? t("Connecting…")
                : model.status().canComment
                  ? t("No messages yet. Everyone in this workbook can read this chat; the last 500 messages are kept.")
                  : t("No messages yet.")}
            </p>
          </Show>
          <For each={chat.chatMessages()}>
            {(message, at) => (
              <>
                <Show when={startsDay(at())}>
                  <p class="chat-day">{new Intl.DateTimeFormat(language(), { dateStyle: "full" }).format(message.timeMs)}</p>
                </Show>
                <MessageCard model={model} chat={chat} chatMessage={message} hasHeader={startsGroup(at()) || startsDay(at())} />
              </>
            )}
          </For>
          <For each={chat.unsent()}>
            {(unsent, at) => (
              <article class="chat-message is-own is-unsent" classList={{ "has-header": at() === 0 }} aria-label={t("Message by {name}", { name: model.identity().name })}>
                <Show when={at() === 0}>
                  <MessageHeader {...model.identity()} />
                </Show>
                <p class="chat-message-text" dir="auto">
                  {unsent.text}
                </p>
                <p class="panel-note">{chat.isCaughtUp() ? t("Sending…") : t("Sent when the connection is restored")}</p>
              </article>
            )}
          </For>
        </div>
        <Show when={model.status().canComment} fallback={<p class="panel-note">{t("You can read this chat but not write.")}</p>}>
          <Composer model={model} chat={chat} />
        </Show>
      </div>
    </Panel>
  );
}

function MessageCard(props: { readonly model: WorkbookModel; readonly chat: Chat; readonly chatMessage: ChatMessage; readonly hasHeader: boolean }) {
  const { model, chatMessage } = props;
  const go = (reference: CellReference): void => {
    if (reference.sheet !== undefined) {
      model.openSheet(reference.sheet);
    }
    model.goTo(reference.range);
  };
  return (
    <article
      class="chat-message"
      classList={{ "is-own": props.chat.isOwn(chatMessage), "has-header": props.hasHeader }}
      aria-label={t("Message by {name}", { name: chatMessage.name })}
    >
      <Show when={props.hasHeader}>
        <MessageHeader name={chatMessage.name} color={chatMessage.color}>
          <time title={moment(chatMessage.timeMs)} dateTime={new Date(chatMessage.timeMs).toISOString()}>
            {new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(chatMessage.timeMs)}
          </time>
        </MessageHeader>
      </Show>
      <p class="chat-message-text" dir="auto">
        <For each={messageParts(chatMessage.text, model.sheets())}>
          {(part) => (
            <Show when={part.reference} fallback={part.text} keyed>
              {(reference) => (
                <button type="button" class="chat-message-reference" onClick={() => go(reference)}>
                  <bdi>{part.text}</bdi>
                </button>
              )}
            </Show>
          )}
        </For>
      </p>
    </article>
  );
}

/** Name and time above a group of messages. */
function MessageHeader(props: { readonly name: string; readonly color: number; readonly children?: JSX.Element }) {
  return (
    <p class="chat-message-header">
      <span
        ref={(face) => {
          createEffect(() => {
            face.style.backgroundColor = cssColor(props.color);
            face.style.color = textColorOn(props.color);
          });
        }}
        class="avatar"
        data-initials={initials(props.name)}
        aria-hidden="true"
      />
      <strong dir="auto">{props.name}</strong>
      {props.children}
    </p>
  );
}

/** The field for a new message: Enter sends, Shift+Enter starts a new line. */
function Composer(props: { readonly model: WorkbookModel; readonly chat: Chat }) {
  const { model, chat } = props;
  const [text, setText] = createSignal("");
  let field!: HTMLTextAreaElement;
  onMount(() => field.focus());
  // A rejected message returns to the field, below the text that is being written.
  createEffect(
    on(chat.rejected, (rejected) => {
      if (rejected && rejected.texts.length > 0) {
        setText((before) => [before, ...rejected.texts].filter((line) => line !== "").join("\n"));
        chat.clearRejectedTexts();
      }
    }),
  );
  const send = (): void => {
    const typed = text().trim();
    if (typed !== "") {
      setText("");
      chat.send(typed);
    }
    field.focus();
  };
  /** Inserts the selected range as a link. */
  const insertCells = (): void => {
    const sheet = model.sheets().find(({ id }) => id === model.sheetId());
    if (!sheet) {
      return;
    }
    const reference = `${sheetPrefix(sheet.name)}!${rangeName(currentRange(model.selection()))}`;
    const before = text().slice(0, field.selectionStart);
    const after = text().slice(field.selectionEnd);
    const gap = before === "" || /\s$/.test(before) ? "" : " ";
    setText(`${before}${gap}${reference} ${after}`);
    const caret = before.length + gap.length + reference.length + 1;
    field.focus();
    field.setSelectionRange(caret, caret);
  };
  return (
    <form
      class="chat-form"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Show when={chat.rejected()}>
        {(rejected) => (
          <p class="chat-rejected" role="alert">
            {t(REASONS[rejected().reason])}
          </p>
        )}
      </Show>
      <textarea
        ref={field}
        class="field"
        dir="auto"
        rows={2}
        maxLength={TEXT_MAX}
        aria-label={t("Message")}
        placeholder={t("Message everyone")}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter ends the composition of an input method.
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            send();
          }
        }}
      />
      <div class="chat-actions">
        <button type="button" class="button is-quiet" onClick={insertCells}>
          <Icon name="sheet" />
          {t("Selected cells")}
        </button>
        <button type="submit" class="button is-main" disabled={text().trim() === ""}>
          {t("Send")}
        </button>
      </div>
    </form>
  );
}
