/** The notifications of an open workbook, which the button and the panel share. */

import { createEffect, createMemo, createRoot, createSignal, on, onCleanup } from "solid-js";
import type { WorkbookModel } from "../state/index.ts";
import { type Suggestion, suggestionsOf } from "../suggestions/index.ts";
import { type Notification, notificationsOf } from "./notifications.ts";
import { saveSeenNotifications, seenNotifications } from "./seen-notifications.ts";
import { ownAuthor, type Thread, threadsOf } from "./threads.ts";

/**
 * Items are read at most once in this time: a burst of changes of charts or formats, which are items
 * too, costs one reading.
 */
const READ_INTERVAL_MS = 500;

/** What a sheet has to tell, and the number of changes of its items when they were read. */
interface SheetContents {
  readonly changes: number;
  readonly threads: readonly Thread[];
  readonly suggestions: readonly Suggestion[];
}

/** The notifications of the person of this page. */
export class NotificationList {
  private readonly model: WorkbookModel;
  /** `undefined` until the items have been read. */
  private readonly contentsSignal = createSignal<readonly SheetContents[]>();
  private readonly seenSignal: ReturnType<typeof createSignal<ReadonlySet<string>>>;
  readonly all: () => readonly Notification[];
  readonly unread: () => readonly Notification[];
  private readonly newestSignal = createSignal<Notification>();
  /** The newest notification that arrived while this page was open. */
  readonly newest = this.newestSignal[0];
  readonly dispose: () => void;
  private readonly ofSheets = new Map<number, SheetContents>();

  constructor(model: WorkbookModel) {
    this.model = model;
    this.seenSignal = createSignal(seenNotifications(model.room));
    const root = createRoot((dispose) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      createEffect(
        on([model.items.changes, model.sheets], () => {
          timer ??= setTimeout(() => {
            timer = undefined;
            void this.read();
          }, READ_INTERVAL_MS);
        }),
      );
      onCleanup(() => clearTimeout(timer));
      const all = createMemo(() => {
        const contents = this.contentsSignal[0]() ?? [];
        // Others cannot answer suggestions.
        const suggestions = model.status().canEdit ? contents.flatMap((sheet) => sheet.suggestions) : [];
        return notificationsOf(contents.flatMap(({ threads }) => threads), ownAuthor(model), suggestions);
      });
      return { dispose, all, unread: createMemo(() => all().filter(({ key }) => !this.seenSignal[0]().has(key))) };
    });
    this.all = root.all;
    this.unread = root.unread;
    this.dispose = () => {
      root.dispose();
      lists.delete(model);
    };
  }

  /** Marks all notifications as seen. */
  markSeen(): void {
    if (this.unread().length > 0) {
      const keys = this.all().map(({ key }) => key);
      this.seenSignal[1](new Set(keys));
      saveSeenNotifications(this.model.room, keys);
    }
  }

  /** Reads the items of the sheets that have changed. */
  private async read(): Promise<void> {
    const { model } = this;
    for (const { id } of model.sheets()) {
      const changes = model.items.changesOf(id);
      if (this.ofSheets.get(id)?.changes !== changes) {
        const items = await model.session.query({ type: "items", sheet: id });
        this.ofSheets.set(id, { changes, threads: threadsOf(id, items), suggestions: suggestionsOf(id, items) });
      }
    }
    const isFirst = this.contentsSignal[0]() === undefined;
    const before = new Set(this.all().map(({ key }) => key));
    this.contentsSignal[1](model.sheets().flatMap(({ id }) => this.ofSheets.get(id) ?? []));
    // The first ones are those of earlier visits.
    const arrived = isFirst ? undefined : this.unread().find(({ key }) => !before.has(key));
    if (arrived) {
      this.newestSignal[1](arrived);
    }
  }
}

const lists = new WeakMap<WorkbookModel, NotificationList>();

/** The notifications of a workbook. */
export function notificationListOf(model: WorkbookModel): NotificationList {
  let list = lists.get(model);
  if (!list) {
    list = new NotificationList(model);
    lists.set(model, list);
  }
  return list;
}
