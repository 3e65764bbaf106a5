/** The error inside of a drawing whose code could not be loaded. */

import { direction } from "../language/index.ts";
import { LoadError } from "../components/index.ts";
import "../style/drawings.css";

/** The error with a retry button. */
export function FrameLoadError(props: { readonly onRetry: () => void }) {
  const stop = (event: Event): void => event.stopPropagation();
  return (
    <div
      class="drawing-load-error"
      dir={direction()}
      // Presses are for the button, not for the frame or the grid.
      on:pointerdown={stop}
      on:dblclick={stop}
      on:keydown={stop}
    >
      <LoadError onRetry={() => props.onRetry()} />
    </div>
  );
}
