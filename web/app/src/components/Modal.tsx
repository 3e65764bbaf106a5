/** A modal dialog; its code is loaded on first use. */

import { type JSX, Show } from "solid-js";
import { DialogLoadError } from "./lazy.tsx";
import { loadOverlays, overlaysFailed, overlaysOnceOpen } from "./load-overlays.ts";

/** Properties of `Modal`. */
export interface ModalProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Wider than usual, or as wide as the window. */
  readonly isWide?: boolean | "full";
  /** Without it the user cannot close the dialog. */
  readonly onClose?: () => void;
  readonly children: JSX.Element;
}

/** A modal dialog with a title. */
export function Modal(props: ModalProps) {
  const overlays = overlaysOnceOpen(() => props.isOpen);
  return (
    <Show
      when={overlays()}
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
