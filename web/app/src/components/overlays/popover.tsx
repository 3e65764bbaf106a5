/** The implementation of `../Popover.tsx`. */

import { Popover as Headless } from "@kobalte/core/popover";
import { createSignal, Show } from "solid-js";
import { restoreFocus } from "../focus.ts";
import type { PopoverProps } from "../Popover.tsx";

/** A popover that opens at once, in place of the button that was pressed. */
export function Popover(props: PopoverProps) {
  const [isOpen, setIsOpen] = createSignal(true);
  let trigger: HTMLButtonElement | undefined;
  return (
    <Headless open={isOpen()} onOpenChange={setIsOpen} gutter={4} placement={props.placement ?? "bottom-start"}>
      <Headless.Trigger ref={trigger} class={props.buttonClass} aria-label={props.label} title={props.hint}>
        {props.button}
      </Headless.Trigger>
      <Headless.Portal>
        <Headless.Content
          class={`popover ${props.class}`}
          aria-label={props.heading === undefined ? props.label : undefined}
          onCloseAutoFocus={(event) => restoreFocus(event, trigger, () => props.onClosed())}
        >
          <Show when={props.heading}>
            <Headless.Title class="popover-title">{props.heading}</Headless.Title>
          </Show>
          <Show when={props.description}>
            <Headless.Description class="popover-text">{props.description}</Headless.Description>
          </Show>
          {props.children(() => setIsOpen(false))}
        </Headless.Content>
      </Headless.Portal>
    </Headless>
  );
}
