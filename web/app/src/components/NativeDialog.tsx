/**
 * A modal dialog with the `dialog` element, for messages that are needed when other code cannot be
 * loaded.
 */

import { createUniqueId, type JSX, onMount, Show } from "solid-js";

/** A native modal dialog with a title. */
export function NativeDialog(props: {
  readonly isOpen: boolean;
  readonly title: string;
  /** Without it the user cannot close the dialog. */
  readonly onClose?: () => void;
  readonly children: JSX.Element;
}) {
  const titleId = createUniqueId();
  return (
    <Show when={props.isOpen}>
      <dialog
        class="modal is-native"
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
