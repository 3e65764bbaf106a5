/** A choice of a list, as a chip in its colour, or of a person, with their face. */

import { cssColor, type Face, textColorOn } from "@quadrille/grid";
import { Show } from "solid-js";

/** The text of a choice; `isChip` draws it as a chip, which is grey without a colour. */
export function ChipLabel(props: { readonly isChip: boolean; readonly color: string | undefined; readonly text: string; readonly face?: Face | undefined }) {
  return (
    <span
      class="menu-text"
      classList={{ chip: props.isChip, "has-face": props.face !== undefined }}
      dir="auto"
      ref={(element) => {
        if (props.isChip && props.color !== undefined) {
          element.style.backgroundColor = props.color;
          element.style.color = textColorOn(Number.parseInt(props.color.slice(1), 16));
        }
      }}
    >
      <Show when={props.face} keyed>
        {(face) => (
          <span
            class="chip-face"
            data-initials={face.initials}
            aria-hidden="true"
            ref={(element) => {
              element.style.backgroundColor = cssColor(face.color);
              element.style.color = textColorOn(face.color);
            }}
          />
        )}
      </Show>
      <span class="chip-text">{props.text}</span>
    </span>
  );
}
