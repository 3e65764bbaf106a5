/** The stars of a cell, large enough for fingers. */

import type { Cell } from "@quadrille/grid";
import { For, onMount, Show } from "solid-js";
import { isRightToLeft, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { pressStar } from "./press-star.ts";

const STARS = [1, 2, 3, 4, 5];

/** Five stars below a cell. Arrow keys move between them; a press, Enter or a digit chooses. */
export function RatingMenu(props: { readonly model: WorkbookModel; readonly cell: Cell; readonly onClose: () => void }) {
  const { model, cell } = props;
  const rating = model.grid?.markOf(cell)?.rating ?? 0;
  let group!: HTMLDivElement;
  const focusStar = (star: number): void => group.querySelectorAll("button")[Math.max(1, Math.min(star, STARS.length)) - 1]?.focus();
  const choose = (stars: number): void => {
    props.onClose();
    // The press of a star that the cell has removes the rating.
    model.keys.waitFor(pressStar(model, cell, stars));
  };
  const handleKey = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const focused = [...group.querySelectorAll("button")].findIndex((star) => star === document.activeElement) + 1;
    if (by !== 0 && focused > 0) {
      event.preventDefault();
      focusStar(focused + (isRightToLeft() ? -by : by));
    } else if (/^[0-5]$/.test(event.key)) {
      event.preventDefault();
      const stars = Number(event.key);
      if (stars === rating) {
        props.onClose();
      } else {
        choose(stars);
      }
    }
  };
  onMount(() => focusStar(rating));

  return (
    <div class="rating-menu" onKeyDown={handleKey}>
      <div class="rating-stars" role="group" aria-label={t("Rating")} ref={group}>
        <For each={STARS}>
          {(star) => (
            <button
              type="button"
              class="rating-star"
              classList={{ "is-filled": star <= rating }}
              aria-label={t("{count} of 5 stars", { count: star })}
              aria-pressed={star === rating}
              onClick={() => choose(star)}
            >
              ★
            </button>
          )}
        </For>
      </div>
      <Show when={rating > 0}>
        <button type="button" class="menu-item cell-choices-edit" onClick={() => choose(0)}>
          {t("Remove rating")}
        </button>
      </Show>
    </div>
  );
}
