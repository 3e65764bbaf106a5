/** The implementation of `../Modal.tsx`. */

import { Dialog } from "@kobalte/core/dialog";
import { onCleanup, Show } from "solid-js";
import { t } from "../../language/index.ts";
import { Icon } from "../Icon.tsx";
import type { ModalProps } from "../Modal.tsx";

/** A modal dialog. */
export function Modal(props: ModalProps) {
  let body!: HTMLDivElement;
  let content!: HTMLDivElement;
  // When the focused element is removed, the focus moves to the page, where Escape and Tab do not
  // reach the dialog.
  const changes = new MutationObserver(() => {
    if (document.activeElement === document.body) {
      content.focus({ preventScroll: true });
    }
  });
  onCleanup(() => changes.disconnect());
  return (
    <Dialog
      open={props.isOpen}
      onOpenChange={(isOpen) => {
        if (!isOpen) {
          props.onClose?.();
        }
      }}
    >
      <Dialog.Portal>
        <Dialog.Overlay class="modal-backdrop" />
        <div class="modal-container">
          <Dialog.Content
            ref={content}
            tabIndex={-1}
            // The title names the dialog only once what is below it has loaded.
            aria-label={props.title}
            class="modal"
            classList={{ "is-wide": props.isWide === true, "is-full": props.isWide === "full" }}
            onOpenAutoFocus={(event) => {
              const first = ["input, select", "button.is-main", "button"]
                .map((selector) => body.querySelector<HTMLElement>(selector))
                .find((element) => element !== null);
              if (first) {
                event.preventDefault();
                first.focus();
              }
            }}
            onCloseAutoFocus={(event) => event.preventDefault()}
          >
            <div class="modal-header">
              <Dialog.Title class="modal-title">{props.title}</Dialog.Title>
              <Show when={props.onClose}>
                <Dialog.CloseButton class="tool" aria-label={t("Close")}>
                  <Icon name="close" />
                </Dialog.CloseButton>
              </Show>
            </div>
            <div
              class="modal-body"
              ref={(element) => {
                body = element;
                changes.observe(element, { childList: true, subtree: true });
              }}
            >
              {props.children}
            </div>
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog>
  );
}
