/** The stored data of the own account: download and deletion. */

import { serverPath } from "../base-path.ts";
import { createSignal, Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { t } from "../language/index.ts";
import { type AccountDetails, deleteAccount, EXPORT_PATH } from "./account-data.ts";
import { ConfirmDialog } from "./ConfirmDialog.tsx";
import { Section } from "./Section.tsx";

/** Downloads everything that is stored about the person, and deletes the account. */
export function DataSection(props: { readonly account: AccountDetails }) {
  const [isDeleting, setIsDeleting] = createSignal(false);
  const confirmation = () => props.account.email ?? props.account.id;
  return (
    <Section id="data" title={t("Your data")}>
      <div class="account-line">
        <p>{t("Download everything that this server stores about you, as a JSON file.")}</p>
        <a class="button" href={EXPORT_PATH} download="">
          <Icon name="download" />
          {t("Download your data")}
        </a>
      </div>
      <div class="account-line">
        <p>{t("Delete your account with your sessions, tokens and passkeys. This cannot be undone.")}</p>
        <button type="button" class="button is-danger" onClick={() => setIsDeleting(true)}>
          {t("Delete account")}
        </button>
      </div>
      <Show when={isDeleting()}>
        <ConfirmDialog
          title={t("Delete your account?")}
          action={t("Delete account")}
          typed={confirmation()}
          conflict={t("The last administrator must stay one.")}
          onConfirm={() => deleteAccount(confirmation())}
          onClose={(isDone) => {
            setIsDeleting(false);
            if (isDone) {
              localStorage.removeItem("quadrille.identity");
              location.assign(serverPath("/"));
            }
          }}
        >
          <p>{t("You lose access to workbooks that were shared with you. Transfer workbooks that others still need before you delete the account.")}</p>
        </ConfirmDialog>
      </Show>
    </Section>
  );
}
