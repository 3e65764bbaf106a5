/** In a frame of which a part of the page did not arrive. */

import { direction } from "../language/language.ts";
import { LoadError } from "../components/lazy.tsx";
import "../style/drawings.css";

export function FrameMissing(props: { readonly onAgain: () => void }) {
  const keep = (event: Event): void => event.stopPropagation();
  return (
    <div
      class="over-missing"
      dir={direction()}
      // Neither the frame nor the grid below it: a press is for the button.
      on:pointerdown={keep}
      on:dblclick={keep}
      on:keydown={keep}
    >
      <LoadError onAgain={() => props.onAgain()} />
    </div>
  );
}
