/** In a frame of which a part of the page did not arrive. */

import { direction } from "../language/index.ts";
import { LoadError } from "../components/index.ts";
import "../style/drawings.css";

export function FrameLoadError(props: { readonly onRetry: () => void }) {
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
      <LoadError onRetry={() => props.onRetry()} />
    </div>
  );
}
