/** The stars of a cell, large enough for fingers. */

import type { Cell } from "@quadrille/grid";
import { createUniqueId, For, onMount, Show } from "solid-js";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { pressStar } from "./press-star.ts";

const STARS = [1, 2, 3, 4, 5];

/** Five stars below a cell. Arrow keys move between them, Enter or a digit chooses. */
export function RatingMenu(props: { readonly model: WorkbookModel; readonly cell: Cell; readonly onClose: () => void }) {
  const { model, cell } = props;
  const rating = model.grid?.markOf(cell)?.rating ?? 0;
  const group = createUniqueId();
  let element!: HTMLDivElement;
  const choose = (stars: number): void => {
    props.onClose();
    if (stars !== rating) {
      model.keys.waitFor(pressStar(model, cell, stars));
    }
  };
  const handleKey = (event: KeyboardEvent): void => {
    const checked = element.querySelector<HTMLInputElement>("input:checked");
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && checked) {
      event.preventDefault();
      choose(Number(checked.value));
    } else if (/^[0-5]$/.test(event.key)) {
      event.preventDefault();
      choose(Number(event.key));
    }
  };
  onMount(() => element.querySelector<HTMLInputElement>(`input[value="${Math.max(1, rating)}"]`)?.focus());

  return (
    <div class="rating-menu" onKeyDown={handleKey}>
      <div class="rating-stars" role="radiogroup" aria-label={t("Rating")} ref={element}>
        <For each={STARS}>
          {(star) => (
            <label class="rating-star" onClick={(event) => event.detail > 0 && choose(star)}>
              <input type="radio" name={group} value={star} checked={star === rating} aria-label={t("{count} of 5 stars", { count: star })} />
              <span aria-hidden="true">★</span>
            </label>
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
