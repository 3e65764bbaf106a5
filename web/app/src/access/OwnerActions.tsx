/** What owners do with the whole workbook: owner links, owner keys and the trash. */

import { CopyButton } from "../components/index.ts";
import { createSignal, For, Show } from "solid-js";
import { moment, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { addOwnerKey, revokeOwnerKey, type WorkbookAccess } from "./access-api.ts";
import { ownerKeyOf } from "./credentials.ts";
import { roomAddress } from "./invite.ts";
import type { Act } from "./act.ts";

/** The section "Ownership". */
export function OwnerActions(props: { readonly model: WorkbookModel; readonly access: WorkbookAccess; readonly act: Act; readonly onTrash: () => void }) {
  const { room } = props.model;
  const [isConfirming, setIsConfirming] = createSignal(false);
  /** Each copy has a key of its own, so that it can be revoked alone. */
  const ownerLink = async (): Promise<string | undefined> => {
    let key: string | undefined;
    await props.act(async () => {
      key = await addOwnerKey(room);
    });
    return key && `${roomAddress(room)}#owner=${key}`;
  };
  const keys = () => props.access.ownerKeys ?? [];
  return (
    <details class="share-section share-more">
      <summary>{t("Ownership")}</summary>
      <p class="panel-note">{t("Whoever opens the owner link owns the workbook too. Keep it to open the workbook as its owner in another browser.")}</p>
      <CopyButton text={ownerLink} label={t("Copy owner link")} />
      <Show when={keys().length > 0}>
        <ul class="share-list">
          <For each={keys()}>
            {(key) => (
              <li class="share-row">
                <div class="share-who">
                  <span>{t("Owner key of {time}", { time: moment(key.createdMs) })}</span>
                  <Show when={isOwn(room, key.id)}>
                    <span class="share-detail">{t("This browser")}</span>
                  </Show>
                </div>
                <Show when={!isOwn(room, key.id)}>
                  <button type="button" class="button" aria-label={t("Revoke the owner key of {time}", { time: moment(key.createdMs) })} onClick={() => void props.act(() => revokeOwnerKey(room, key.id))}>
                    {t("Revoke")}
                  </button>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show
        when={isConfirming()}
        fallback={
          <button type="button" class="button is-dangerous" onClick={() => setIsConfirming(true)}>
            {t("Move to trash…")}
          </button>
        }
      >
        <p role="alert">{t("Nobody but the owner can open a workbook in the trash. It is deleted after 30 days.")}</p>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => setIsConfirming(false)}>
            {t("Cancel")}
          </button>
          <button type="button" class="button is-dangerous" onClick={() => props.onTrash()}>
            {t("Move to trash")}
          </button>
        </div>
      </Show>
    </details>
  );
}

/** The digits of base64url that an identifier of 64 bits fills; its text is the beginning of the key's. */
const ID_DIGITS = 10;

/** Whether this browser has the key with an identifier. */
function isOwn(room: string, id: string): boolean {
  return ownerKeyOf(room)?.slice("qo_".length).startsWith(id.slice(0, ID_DIGITS)) === true;
}
