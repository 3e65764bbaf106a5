/** A dialog in the middle of the page. */

import { Dialog } from "@kobalte/core/dialog";
import { type JSX, Show } from "solid-js";
import { Icon } from "./Icon.tsx";
import { t } from "../language/language.ts";

export function Modal(props: {
  readonly isOpen: boolean;
  readonly title: string;
  readonly isWide?: boolean;
  /** Without it the dialog stays until what it waits for is done. */
  readonly onClose?: () => void;
  readonly children: JSX.Element;
}) {
  let body!: HTMLDivElement;
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
            <div class="modal-body" ref={body}>{props.children}</div>
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog>
  );
}
