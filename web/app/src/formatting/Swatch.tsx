/** A sample of a color. */

import type { JSX } from "solid-js";

/** A small area filled with a color. */
export function Swatch(props: { readonly class: string; readonly color: string }): JSX.Element {
  return (
    <span
      class={props.class}
      ref={(element) => {
        element.style.backgroundColor = props.color;
      }}
    />
  );
}
