/** The notifications panel: what others have done in comments and suggestions that concerns the person. */

import { createEffect, createSignal, Show } from "solid-js";
import { KeyedFor, Panel } from "../components/index.ts";
import { ago, moment, t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { notificationListOf } from "./notification-list.ts";
import { notificationTitle } from "./notification-title.ts";
import type { Notification } from "./notifications.ts";
import "../style/comments.css";

/** The panel with the notifications of the workbook. */
export function NotificationsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const list = notificationListOf(model);
  // Those that were unread stay marked while the panel is open.
  const [fresh, setFresh] = createSignal<ReadonlySet<string>>(new Set());
  createEffect(() => {
    const unread = list.unread();
    if (unread.length > 0 && document.visibilityState === "visible") {
      setFresh((before) => new Set([...before, ...unread.map(({ key }) => key)]));
      list.markSeen();
    }
  });
  const place = ({ sheet, cell }: Notification): string => {
    const name = model.sheets().find(({ id }) => id === sheet)?.name ?? "";
    return `${name} · ${notation().cell({ row: cell.top, column: cell.left })}`;
  };
  const open = ({ sheet, cell, kind }: Notification): void => {
    model.openSheet(sheet);
    model.goTo(cell);
    model.openPanel(kind === "suggestion" ? "suggestions" : "comments");
  };
  return (
    <Panel title={t("Notifications")} onClose={() => model.closePanel()}>
      <ul class="threads">
        <KeyedFor
          each={list.all()}
          by={({ key }) => key}
          fallback={<li class="panel-note">{t("No notifications. Mentions, replies, tasks, reactions and suggestions of others appear here.")}</li>}
        >
          {(notification) => (
            <li>
              <button type="button" class="notification" classList={{ "is-unread": fresh().has(notification().key) }} onClick={() => open(notification())}>
                <span class="notification-title">
                  <strong dir="auto">{notificationTitle(notification())}</strong>
                  <Show when={notification().timeMs > 0}>
                    <time title={moment(notification().timeMs)} dateTime={new Date(notification().timeMs).toISOString()}>
                      {ago(notification().timeMs)}
                    </time>
                  </Show>
                </span>
                <Show when={notification().kind !== "reaction" && notification().text !== ""}>
                  <span class="notification-text" dir="auto">
                    {notification().text}
                  </span>
                </Show>
                <span class="notification-cell">{place(notification())}</span>
              </button>
            </li>
          )}
        </KeyedFor>
      </ul>
    </Panel>
  );
}
