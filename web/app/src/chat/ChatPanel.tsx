/** What people say to each other about the workbook: all of it, and a field to write in. */

import { cssColor, currentRange, textColorOn, rangeName } from "@quadrille/grid";
import { createEffect, createSignal, For, type JSX, on, onMount, Show } from "solid-js";
import { initials } from "../presence/index.ts";
import { language, type Message, moment, t } from "../language/index.ts";
import { Icon, Panel } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type CellReference, sheetPrefix } from "../references/index.ts";
import { type Chat, chatOf, TEXT_MAX } from "./chat.ts";
import type { ChatMessage, ChatRejectionReason } from "./frames.ts";
import { piecesOf } from "./message-parts.ts";
import "../style/chat.css";

/** What one person says within this time stands under one name. */
const TOGETHER_MS = 300_000;

const REASONS: Readonly<Record<ChatRejectionReason, Message>> = {
  forbidden: "You can read this chat but not write.",
  badText: "This message is too long. At most 2,000 characters are sent at once.",
  tooFast: "You are sending messages too fast. Wait a moment, then try again.",
  notStored: "The server could not keep this message. Send it again.",
};

export function ChatPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const chat = chatOf(model);
  let list!: HTMLDivElement;
  let isAtEnd = true;
  const toEnd = (): void => {
    list.scrollTop = list.scrollHeight;
  };
  onMount(toEnd);
  createEffect(
    on([chat.chatMessages, chat.unsent], () => {
      if (document.visibilityState === "visible") {
        chat.read();
      }
      // Who reads further up is left there.
      if (isAtEnd || chat.unsent().length > 0) {
        queueMicrotask(toEnd);
      }
    }),
  );
  const beginsGroup = (at: number): boolean => {
    const [before, remark] = [chat.chatMessages()[at - 1], chat.chatMessages()[at]];
    return !before || !remark || before.name !== remark.name || before.color !== remark.color || remark.timeMs - before.timeMs > TOGETHER_MS;
  };
  const beginsDay = (at: number): boolean => {
    const [before, remark] = [chat.chatMessages()[at - 1], chat.chatMessages()[at]];
    return remark !== undefined && (!before || new Date(before.timeMs).toDateString() !== new Date(remark.timeMs).toDateString());
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
              {!chat.isHeard()
                ? t("Connecting…")
                : model.status().canEdit
                  ? t("No messages yet. Everyone in this workbook can read this chat; the last 500 messages are kept.")
                  : t("No messages yet.")}
            </p>
          </Show>
          <For each={chat.chatMessages()}>
            {(remark, at) => (
              <>
                <Show when={beginsDay(at())}>
                  <p class="chat-day">{new Intl.DateTimeFormat(language(), { dateStyle: "full" }).format(remark.timeMs)}</p>
                </Show>
                <RemarkCard model={model} chat={chat} chatMessage={remark} hasHead={beginsGroup(at()) || beginsDay(at())} />
              </>
            )}
          </For>
          <For each={chat.unsent()}>
            {(unsent, at) => (
              <article class="remark is-own is-unsent" classList={{ "has-head": at() === 0 }} aria-label={t("Message by {name}", { name: model.identity().name })}>
                <Show when={at() === 0}>
                  <RemarkHead {...model.identity()} />
                </Show>
                <p class="remark-text" dir="auto">
                  {unsent.text}
                </p>
                <p class="panel-note">{chat.isHeard() ? t("Sending…") : t("Is sent when the connection is back")}</p>
              </article>
            )}
          </For>
        </div>
        <Show when={model.status().canEdit} fallback={<p class="panel-note">{t("You can read this chat but not write.")}</p>}>
          <Writer model={model} chat={chat} />
        </Show>
      </div>
    </Panel>
  );
}

function RemarkCard(props: { readonly model: WorkbookModel; readonly chat: Chat; readonly chatMessage: ChatMessage; readonly hasHead: boolean }) {
  const { model, chatMessage } = props;
  const go = (place: CellReference): void => {
    if (place.sheet !== undefined) {
      model.openSheet(place.sheet);
    }
    model.goTo(place.range);
  };
  return (
    <article
      class="remark"
      classList={{ "is-own": props.chat.isOwn(chatMessage), "has-head": props.hasHead }}
      aria-label={t("Message by {name}", { name: chatMessage.name })}
    >
      <Show when={props.hasHead}>
        <RemarkHead name={chatMessage.name} color={chatMessage.color}>
          <time title={moment(chatMessage.timeMs)} dateTime={new Date(chatMessage.timeMs).toISOString()}>
            {new Intl.DateTimeFormat(language(), { timeStyle: "short" }).format(chatMessage.timeMs)}
          </time>
        </RemarkHead>
      </Show>
      <p class="remark-text" dir="auto">
        <For each={piecesOf(chatMessage.text, model.sheets())}>
          {(piece) => (
            <Show when={piece.reference} fallback={piece.text} keyed>
              {(place) => (
                <button type="button" class="remark-place" onClick={() => go(place)}>
                  <bdi>{piece.text}</bdi>
                </button>
              )}
            </Show>
          )}
        </For>
      </p>
    </article>
  );
}

/** Who says it, and when. */
function RemarkHead(props: { readonly name: string; readonly color: number; readonly children?: JSX.Element }) {
  return (
    <p class="remark-head">
      <span
        ref={(face) => {
          createEffect(() => {
            face.style.backgroundColor = cssColor(props.color);
            face.style.color = textColorOn(props.color);
          });
        }}
        class="face"
        data-initials={initials(props.name)}
        aria-hidden="true"
      />
      <strong dir="auto">{props.name}</strong>
      {props.children}
    </p>
  );
}

/** Enter sends, Shift+Enter begins a line. */
function Writer(props: { readonly model: WorkbookModel; readonly chat: Chat }) {
  const { model, chat } = props;
  const [text, setText] = createSignal("");
  let field!: HTMLTextAreaElement;
  onMount(() => field.focus());
  // What the room did not take is there to be sent again, below what is being written meanwhile.
  createEffect(
    on(chat.refused, (refused) => {
      if (refused && refused.texts.length > 0) {
        setText((before) => [before, ...refused.texts].filter((words) => words !== "").join("\n"));
        chat.broughtBack();
      }
    }),
  );
  const send = (): void => {
    const words = text().trim();
    if (words !== "") {
      setText("");
      chat.say(words);
    }
    field.focus();
  };
  /** The cells that are selected, as a link that everyone can press. */
  const insertCells = (): void => {
    const sheet = model.sheets().find(({ id }) => id === model.sheetId());
    if (!sheet) {
      return;
    }
    const place = `${sheetPrefix(sheet.name)}!${rangeName(currentRange(model.selection()))}`;
    const before = text().slice(0, field.selectionStart);
    const after = text().slice(field.selectionEnd);
    const gap = before === "" || /\s$/.test(before) ? "" : " ";
    setText(`${before}${gap}${place} ${after}`);
    const caret = before.length + gap.length + place.length + 1;
    field.focus();
    field.setSelectionRange(caret, caret);
  };
  return (
    <form
      class="chat-writer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Show when={chat.refused()}>
        {(refused) => (
          <p class="chat-refused" role="alert">
            {t(REASONS[refused().reason])}
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
          // While an input method composes, Enter is its own.
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
