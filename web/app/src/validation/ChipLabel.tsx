/** A choice of a list, as a chip in its colour. */

import { textColorOn } from "@quadrille/grid";

/** The text of a choice; `isChip` draws it as a chip, which is grey without a colour. */
export function ChipLabel(props: { readonly isChip: boolean; readonly color: string | undefined; readonly text: string }) {
  return (
    <span
      class="menu-text"
      classList={{ chip: props.isChip }}
      dir="auto"
      ref={(element) => {
        if (props.isChip && props.color !== undefined) {
          element.style.backgroundColor = props.color;
          element.style.color = textColorOn(Number.parseInt(props.color.slice(1), 16));
        }
      }}
    >
      {props.text}
    </span>
  );
}
