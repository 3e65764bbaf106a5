/**
 * The chat of an open room: received messages, unsent messages and the read position.
 *
 * After every connection the client asks for the messages since the last one it has, and sends its
 * unsent messages again under the same identifiers, so that the room stores each once.
 */

import { batch, createEffect, createMemo, createRoot, createSignal, on } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { listenFrame, readFrame, type ChatMessage, sendMessageFrame, type ChatRejectionReason } from "./frames.ts";
import { readUpTo, saveReadState } from "./read-state.ts";

/**
 * Number of messages that the room stores (`crates/protocol/src/limits.rs`) and the panel shows.
 */
const MESSAGES_MAX = 500;
/** Length limit of a message in characters. */
export const TEXT_MAX = 2_000;

/** A message of this client that the room has not confirmed yet. */
export interface UnsentMessage {
  readonly id: bigint;
  readonly text: string;
}

/** Messages that the room rejected. */
export interface RejectedMessages {
  /** Texts that are not yet back in the field, in the order in which they were removeUnsent. */
  readonly texts: readonly string[];
  readonly reason: ChatRejectionReason;
}

/** State of the chat of one workbook. */
export class Chat {
  private readonly model: WorkbookModel;
  private readonly messagesSignal = createSignal<readonly ChatMessage[]>([]);
  readonly chatMessages = this.messagesSignal[0];
  private readonly unsentSignal = createSignal<readonly UnsentMessage[]>([]);
  readonly unsent = this.unsentSignal[0];
  private readonly rejectedSignal = createSignal<RejectedMessages>();
  /** The rejected messages, until the next message is removeUnsent. */
  readonly rejected = this.rejectedSignal[0];
  private readonly isCaughtUpSignal = createSignal(false);
  /** Whether the room has sent its messages since the last connection. */
  readonly isCaughtUp = this.isCaughtUpSignal[0];
  private readonly newestByOthersSignal = createSignal<ChatMessage>();
  /** The newest message by others that arrived while this page was connected. */
  readonly newestByOthers = this.newestByOthersSignal[0];
  private readonly readSignal: ReturnType<typeof createSignal<number>>;
  private readonly ownIds = new Set<bigint>();
  readonly unread: () => readonly ChatMessage[];
  readonly dispose: () => void;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.readSignal = createSignal(readUpTo(model.room));
    model.onChatFrame = (frame) => this.receive(frame);
    const root = createRoot((dispose) => {
      createEffect(
        on(
          () => model.status().isConnected,
          (isConnected) => {
            this.isCaughtUpSignal[1](false);
            if (isConnected) {
              this.subscribe();
            }
          },
        ),
      );
      return { dispose, unread: createMemo(() => this.chatMessages().filter((message) => message.number > this.readSignal[0]() && !this.isOwn(message))) };
    });
    this.unread = root.unread;
    this.dispose = () => {
      model.onChatFrame = undefined;
      root.dispose();
    };
  }

  send(text: string): void {
    const [id = 0n] = crypto.getRandomValues(new BigUint64Array(1));
    this.ownIds.add(id);
    batch(() => {
      this.rejectedSignal[1](undefined);
      this.unsentSignal[1]((before) => [...before, { id, text }]);
    });
    if (this.isCaughtUp()) {
      this.model.session.sendFrame(sendMessageFrame(id, text));
    }
  }

  /** Clears the rejected texts, which are back in the field. */
  clearRejectedTexts(): void {
    this.rejectedSignal[1]((before) => before && { ...before, texts: [] });
  }

  isOwn(message: ChatMessage): boolean {
    const { name, color } = this.model.identity();
    return this.ownIds.has(message.id) || (message.name === name && message.color === color);
  }

  /** Marks all messages as read. */
  read(): void {
    const newest = this.chatMessages().at(-1)?.number;
    if (newest !== undefined && newest !== this.readSignal[0]()) {
      this.readSignal[1](newest);
      saveReadState(this.model.room, newest);
    }
  }

  private subscribe(): void {
    this.model.session.sendFrame(listenFrame(this.chatMessages().at(-1)?.number ?? 0));
  }

  private receive(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    batch(() => {
      if (frame.type === "rejected") {
        const unsent = this.unsent().find(({ id }) => id === frame.id);
        if (unsent) {
          this.removeUnsent(new Set([frame.id]));
          this.rejectedSignal[1]((before) => ({ texts: [...(before?.texts ?? []), unsent.text], reason: frame.reason }));
        }
        return;
      }
      this.add(frame.chatMessages);
      if (this.isCaughtUp()) {
        this.newestByOthersSignal[1](frame.chatMessages.findLast((message) => !this.isOwn(message)));
      } else {
        this.isCaughtUpSignal[1](true);
        // Sent while the connection was down, or lost with it.
        this.unsent().forEach(({ id, text }) => this.model.session.sendFrame(sendMessageFrame(id, text)));
      }
    });
  }

  private add(messages: readonly ChatMessage[]): void {
    const last = this.chatMessages().at(-1)?.number ?? 0;
    const added = messages.filter(({ number }) => number > last);
    if (added.length > 0) {
      this.messagesSignal[1]((before) => [...before, ...added].slice(-MESSAGES_MAX));
    }
    this.removeUnsent(new Set(messages.map(({ id }) => id)));
    // A new room under the same name numbers its messages from 1 again.
    const newest = this.chatMessages().at(-1)?.number ?? 0;
    if (newest < this.readSignal[0]()) {
      this.readSignal[1](0);
    }
  }

  private removeUnsent(ids: ReadonlySet<bigint>): void {
    if (this.unsent().some(({ id }) => ids.has(id))) {
      this.unsentSignal[1]((before) => before.filter(({ id }) => !ids.has(id)));
    }
  }
}

const chats = new WeakMap<WorkbookModel, Chat>();

/** The chat of a workbook; button and panel share it. */
export function chatOf(model: WorkbookModel): Chat {
  let chat = chats.get(model);
  if (!chat) {
    chat = new Chat(model);
    chats.set(model, chat);
  }
  return chat;
}
