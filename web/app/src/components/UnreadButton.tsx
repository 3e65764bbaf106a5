/** A button of the header with the number of what is unread, and an announcement for screen readers. */

import { Show } from "solid-js";
import { showNumber } from "../language/index.ts";
import "../style/unread-button.css";

const COUNTED_MAX = 99;

export function UnreadButton(props: {
  readonly class: string;
  readonly label: string;
  readonly isPressed: boolean;
  readonly unreadCount: number;
  /** The path of the icon, on a grid of 20 × 20. */
  readonly icon: string;
  readonly announcement: string;
  readonly onClick: () => void;
}) {
  return (
    <>
      <button type="button" class={`tool ${props.class}`} aria-label={props.label} title={props.label} aria-pressed={props.isPressed} onClick={() => props.onClick()}>
        <span class="unread-icon">
          <svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">
            <path d={props.icon} />
          </svg>
          <Show when={props.unreadCount > 0}>
            <span class="unread-count" aria-hidden="true">
              {props.unreadCount > COUNTED_MAX ? `${showNumber(COUNTED_MAX)}+` : showNumber(props.unreadCount)}
            </span>
          </Show>
        </span>
      </button>
      <span class="unread-announcement" role="status">
        {props.announcement}
      </span>
    </>
  );
}
