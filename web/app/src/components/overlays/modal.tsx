/** The dialog behind `../Modal.tsx`. */

import { Dialog } from "@kobalte/core/dialog";
import { onCleanup, Show } from "solid-js";
import { t } from "../../language/index.ts";
import { Icon } from "../Icon.tsx";
import type { ModalProps } from "../Modal.tsx";

export function Modal(props: ModalProps) {
  let body!: HTMLDivElement;
  let content!: HTMLDivElement;
  // What vanishes while it has the focus gives it to the page, where neither Escape nor Tab would find the dialog.
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
        <Dialog.Overlay class="modal-shade" />
        <div class="modal-place">
          <Dialog.Content
            ref={content}
            tabIndex={-1}
            class="modal"
            classList={{ "is-wide": props.isWide ?? false }}
            onOpenAutoFocus={(event) => {
              const first = ["input, select", "button.is-main", "button"]
                .map((wanted) => body.querySelector<HTMLElement>(wanted))
                .find((found) => found !== null);
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
