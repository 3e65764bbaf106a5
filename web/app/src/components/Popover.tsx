/** A button from which something opens. As with menus, what opens is loaded when it is first wanted. */

import { createEffect, createSignal, type JSX, Show } from "solid-js";
import { type Changes, createBlock } from "./edit-permission.ts";
import { loadedOverlays, afterOverlaysLoad } from "./load-overlays.ts";

export interface PopoverProps extends Changes {
  /** Of the button, and of what opens unless that has a heading; where the button's own text is not enough. */
  readonly label?: string;
  readonly hint: string;
  readonly button: JSX.Element;
  readonly buttonClass: string;
  readonly placement?: "bottom-start" | "bottom-end";
  readonly class: string;
  readonly heading?: string;
  readonly description?: string;
  /** Where focus goes when it closes. */
  readonly onClosed: () => void;
  readonly children: (close: () => void) => JSX.Element;
}

export function Popover(props: PopoverProps) {
  const [isShown, setIsShown] = createSignal(false);
  const block = createBlock(props);
  let isWanted = false;
  createEffect(() => {
    if (block.reason() !== undefined) {
      isWanted = false;
      setIsShown(false);
    }
  });
  const want = (): void => {
    isWanted = true;
    afterOverlaysLoad(() => setIsShown(isWanted));
  };
  return (
    <Show
      when={isShown()}
      fallback={
        <button
          type="button"
          class={props.buttonClass}
          aria-label={props.label}
          title={block.hint(props.hint)}
          aria-disabled={block.ariaDisabled()}
          aria-haspopup="dialog"
          aria-expanded="false"
          onClick={() => block.press(want)}
          // Who has gone elsewhere while it was being loaded does not want it any more.
          onBlur={() => {
            isWanted = false;
          }}
        >
          {props.button}
        </button>
      }
    >
      <Opened {...props} />
    </Show>
  );
}

function Opened(props: PopoverProps) {
  return loadedOverlays().Popover(props);
}
