/** The result of an invitation: sent by e-mail, or a link to send by hand. */

import { Show } from "solid-js";
import { CopyButton } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { Invited } from "./invite.ts";

/** Says what became of an invitation. */
export function InvitationNote(props: { readonly invited: Invited }) {
  return (
    <div class="share-invitation" role="status">
      <p>{props.invited.url === undefined ? t("An invitation was sent to {name}.", { name: props.invited.name }) : t("Send this link to {name}:", { name: props.invited.name })}</p>
      <Show when={props.invited.url}>
        {(url) => (
          <div class="share-copy">
            <input class="field" dir="ltr" readOnly aria-label={t("Share link")} value={url()} onFocus={(event) => event.currentTarget.select()} />
            <CopyButton text={url} label={t("Copy link")} />
          </div>
        )}
      </Show>
    </div>
  );
}
