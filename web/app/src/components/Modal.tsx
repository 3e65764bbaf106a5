/** A dialog in the middle of the page. */

import { type JSX, Show } from "solid-js";
import { DialogLoadError } from "./lazy.tsx";
import { loadOverlays, overlaysFailed, overlaysFrom } from "./load-overlays.ts";

export interface ModalProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly isWide?: boolean;
  /** Without it the dialog stays until what it waits for is done. */
  readonly onClose?: () => void;
  readonly children: JSX.Element;
}

export function Modal(props: ModalProps) {
  const parts = overlaysFrom(() => props.isOpen);
  return (
    <Show
      when={parts()}
      fallback={
        <Show when={props.isOpen && overlaysFailed()}>
          <DialogLoadError onRetry={() => void loadOverlays()} onClose={props.onClose} />
        </Show>
      }
    >
      {(loaded) => loaded().Modal(props)}
    </Show>
  );
}
