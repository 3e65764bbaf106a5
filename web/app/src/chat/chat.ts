/**
 * The chat of an open room as the page has it: what was said, what is on its way, what has not been read.
 *
 * The room is asked after every connection for what was said since. What is on its way is said again then, under the
 * same number, so that it is there once.
 */

import { batch, createEffect, createMemo, createRoot, createSignal, on } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { listenFrame, readFrame, type ChatMessage, sendMessageFrame, type ChatRejectionReason } from "./frames.ts";
import { readUpTo, saveReadState } from "./read-state.ts";

/** What the room keeps (`crates/protocol/src/limits.rs`), and no more is shown. */
const REMARKS_MAX = 500;
export const TEXT_MAX = 2_000;

/** Said here, and not told by the room yet. */
export interface UnsentMessage {
  readonly id: bigint;
  readonly text: string;
}

export interface EditRejected {
  /** Not brought back to whoever wrote them yet, in the order in which they were said. */
  readonly texts: readonly string[];
  readonly reason: ChatRejectionReason;
}

export class Chat {
  private readonly model: WorkbookModel;
  private readonly remarksSignal = createSignal<readonly ChatMessage[]>([]);
  readonly chatMessages = this.remarksSignal[0];
  private readonly unsentSignal = createSignal<readonly UnsentMessage[]>([]);
  readonly unsent = this.unsentSignal[0];
  private readonly refusedSignal = createSignal<EditRejected>();
  /** What the room did not take, until something else is said. */
  readonly refused = this.refusedSignal[0];
  private readonly isHeardSignal = createSignal(false);
  /** The room has told what was said. */
  readonly isHeard = this.isHeardSignal[0];
  private readonly newsSignal = createSignal<ChatMessage>();
  /** The newest of what others have said while this page was listening. */
  readonly news = this.newsSignal[0];
  private readonly readSignal: ReturnType<typeof createSignal<number>>;
  private readonly ownIds = new Set<bigint>();
  readonly unread: () => readonly ChatMessage[];
  readonly dispose: () => void;

  constructor(model: WorkbookModel) {
    this.model = model;
    this.readSignal = createSignal(readUpTo(model.room));
    model.heardChat = (frame) => this.heard(frame);
    const made = createRoot((dispose) => {
      createEffect(
        on(
          () => model.status().isConnected,
          (isConnected) => {
            this.isHeardSignal[1](false);
            if (isConnected) {
              this.listen();
            }
          },
        ),
      );
      return { dispose, unread: createMemo(() => this.chatMessages().filter((remark) => remark.number > this.readSignal[0]() && !this.isOwn(remark))) };
    });
    this.unread = made.unread;
    this.dispose = () => {
      model.heardChat = undefined;
      made.dispose();
    };
  }

  say(text: string): void {
    const [id = 0n] = crypto.getRandomValues(new BigUint64Array(1));
    this.ownIds.add(id);
    batch(() => {
      this.refusedSignal[1](undefined);
      this.unsentSignal[1]((before) => [...before, { id, text }]);
    });
    if (this.isHeard()) {
      this.model.session.sendFrame(sendMessageFrame(id, text));
    }
  }

  /** What was refused is where it can be said again. */
  broughtBack(): void {
    this.refusedSignal[1]((before) => before && { ...before, texts: [] });
  }

  isOwn(remark: ChatMessage): boolean {
    const { name, color } = this.model.identity();
    return this.ownIds.has(remark.id) || (remark.name === name && remark.color === color);
  }

  /** Everything that is here has been seen. */
  read(): void {
    const newest = this.chatMessages().at(-1)?.number;
    if (newest !== undefined && newest !== this.readSignal[0]()) {
      this.readSignal[1](newest);
      saveReadState(this.model.room, newest);
    }
  }

  private listen(): void {
    this.model.session.sendFrame(listenFrame(this.chatMessages().at(-1)?.number ?? 0));
  }

  private heard(bytes: Uint8Array): void {
    const frame = readFrame(bytes);
    batch(() => {
      if (frame.type === "unsaid") {
        const unsent = this.unsent().find(({ id }) => id === frame.id);
        if (unsent) {
          this.sent(new Set([frame.id]));
          this.refusedSignal[1]((before) => ({ texts: [...(before?.texts ?? []), unsent.text], reason: frame.reason }));
        }
        return;
      }
      this.add(frame.chatMessages);
      if (this.isHeard()) {
        this.newsSignal[1](frame.chatMessages.findLast((remark) => !this.isOwn(remark)));
      } else {
        this.isHeardSignal[1](true);
        // Said while there was no connection, or lost with it.
        this.unsent().forEach(({ id, text }) => this.model.session.sendFrame(sendMessageFrame(id, text)));
      }
    });
  }

  private add(remarks: readonly ChatMessage[]): void {
    const last = this.chatMessages().at(-1)?.number ?? 0;
    const news = remarks.filter(({ number }) => number > last);
    if (news.length > 0) {
      this.remarksSignal[1]((before) => [...before, ...news].slice(-REMARKS_MAX));
    }
    this.sent(new Set(remarks.map(({ id }) => id)));
    // Another room under the same name: it counts from 1 again.
    const newest = this.chatMessages().at(-1)?.number ?? 0;
    if (newest < this.readSignal[0]()) {
      this.readSignal[1](0);
    }
  }

  private sent(ids: ReadonlySet<bigint>): void {
    if (this.unsent().some(({ id }) => ids.has(id))) {
      this.unsentSignal[1]((before) => before.filter(({ id }) => !ids.has(id)));
    }
  }
}

const chats = new WeakMap<WorkbookModel, Chat>();

/** One for a workbook: button and panel show the same. */
export function chatOf(model: WorkbookModel): Chat {
  let chat = chats.get(model);
  if (!chat) {
    chat = new Chat(model);
    chats.set(model, chat);
  }
  return chat;
}
