/** A dialog in the middle of the page. */

import { type JSX, Show } from "solid-js";
import { overlaysFrom } from "./overlays.ts";

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
  return <Show when={parts()}>{(loaded) => loaded().Modal(props)}</Show>;
}
