/** A button that opens a popover; the code of the popover is loaded on first use. */

import { createEffect, createSignal, type JSX, Show } from "solid-js";
import { type PermissionProps, createAvailability } from "./edit-permission.ts";
import { loadedOverlays, afterOverlaysLoad } from "./load-overlays.ts";

/** Properties of `Popover`. */
export interface PopoverProps extends PermissionProps {
  /**
   * Accessible name of the button, and of the popover without a heading; needed if the text of the
   * button is not enough.
   */
  readonly label?: string;
  readonly hint: string;
  readonly button: JSX.Element;
  readonly buttonClass: string;
  readonly placement?: "bottom-start" | "bottom-end";
  readonly class: string;
  readonly heading?: string;
  readonly description?: string;
  /** Called to move the focus when the popover has closed. */
  readonly onClosed: () => void;
  readonly children: (close: () => void) => JSX.Element;
}

/** A button with a popover. */
export function Popover(props: PopoverProps) {
  const [isOpen, setIsOpen] = createSignal(false);
  const availability = createAvailability(props);
  let isRequested = false;
  createEffect(() => {
    if (availability.reason() !== undefined) {
      isRequested = false;
      setIsOpen(false);
    }
  });
  const request = (): void => {
    isRequested = true;
    afterOverlaysLoad(() => setIsOpen(isRequested));
  };
  return (
    <Show
      when={isOpen()}
      fallback={
        <button
          type="button"
          class={props.buttonClass}
          aria-label={props.label}
          title={availability.hint(props.hint)}
          aria-disabled={availability.ariaDisabled()}
          aria-haspopup="dialog"
          aria-expanded="false"
          onClick={() => availability.run(request)}
          // The popover does not open if the focus moves while it is being loaded.
          onBlur={() => {
            isRequested = false;
          }}
        >
          {props.button}
        </button>
      }
    >
      <OpenPopover {...props} />
    </Show>
  );
}

function OpenPopover(props: PopoverProps) {
  return loadedOverlays().Popover(props);
}
