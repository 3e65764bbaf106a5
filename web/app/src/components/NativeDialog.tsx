/** The browser's own dialog: for what is to be said when parts of the page may be missing. */

import { createUniqueId, type JSX, onMount, Show } from "solid-js";

export function NativeDialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  /** Without it the dialog stays until the page is left. */
  readonly onClose?: () => void;
  readonly children: JSX.Element;
}) {
  const titleId = createUniqueId();
  return (
    <Show when={props.isOpen}>
      <dialog
        class="modal is-standing"
        aria-labelledby={titleId}
        onCancel={(event) => {
          event.preventDefault();
          props.onClose?.();
        }}
        ref={(dialog) => onMount(() => dialog.showModal())}
      >
        <div class="modal-header">
          <h2 class="modal-title" id={titleId}>
            {props.title}
          </h2>
        </div>
        <div class="modal-body">{props.children}</div>
      </dialog>
    </Show>
  );
}
