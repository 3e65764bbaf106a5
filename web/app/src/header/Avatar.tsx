/** The picture or the initials of a person. */

import { cssColor, textColorOn } from "@quadrille/grid";
import { createSignal, Show } from "solid-js";
import { initials } from "../presence/index.ts";

/** A circle with the initials of a person, or with their picture over them. */
export function Avatar(props: { readonly name: string; readonly color: number; readonly picture: string | undefined }) {
  let element!: HTMLSpanElement;
  const [failed, setFailed] = createSignal<string>();
  return (
    <span
      ref={(created) => {
        element = created;
        element.style.backgroundColor = cssColor(props.color);
        element.style.color = textColorOn(props.color);
      }}
      class="avatar"
      data-initials={initials(props.name)}
      aria-hidden="true"
    >
      {/* Over the initials, which stay when it cannot be loaded. */}
      <Show when={props.picture !== failed() && props.picture}>
        {(url) => <img class="avatar-picture" src={url()} alt="" referrerPolicy="no-referrer" onError={() => setFailed(url())} />}
      </Show>
    </span>
  );
}
