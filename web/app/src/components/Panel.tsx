/** A panel beside the sheet; it stays open while the user works in the sheet. */

import { type JSX, onMount } from "solid-js";
import { Icon } from "./Icon.tsx";
import { t } from "../language/index.ts";

/** A panel with a title and a close button; Escape closes it. */
export function Panel(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly actions?: JSX.Element;
  readonly children: JSX.Element;
}) {
  let title!: HTMLHeadingElement;
  // Screen readers continue here when the panel was opened by key.
  onMount(() => title.focus());
  return (
    <aside
      class="panel"
      aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) {
          event.preventDefault();
          event.stopPropagation();
          props.onClose();
        }
      }}
    >
      <header class="panel-header">
        <h2 ref={title} tabIndex={-1}>
          {props.title}
        </h2>
        {props.actions}
        <button type="button" class="tool" aria-label={t("Close")} title={t("Close")} onClick={() => props.onClose()}>
          <Icon name="close" />
        </button>
      </header>
      <div class="panel-body">{props.children}</div>
    </aside>
  );
}
