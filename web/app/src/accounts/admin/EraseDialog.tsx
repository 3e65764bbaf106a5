/** The dialog that deletes an account with everything that is stored about its person. */

import { createSignal } from "solid-js";
import { t } from "../../language/index.ts";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { session } from "../session.ts";
import { eraseAccount, type ManagedAccount } from "./admin-data.ts";

/** Deletes an account; its workbooks are deleted too, or given to the administrator. */
export function EraseDialog(props: { readonly account: ManagedAccount; readonly onClose: (isDone: boolean) => void }) {
  const [keepsWorkbooks, setKeepsWorkbooks] = createSignal(true);
  return (
    <ConfirmDialog
      title={t("Delete {name}?", { name: props.account.name })}
      action={t("Delete account")}
      typed={props.account.email ?? props.account.id}
      conflict={t("The last administrator must stay one.")}
      onConfirm={() => eraseAccount(props.account.id, keepsWorkbooks() ? session()?.account?.id : undefined)}
      onClose={props.onClose}
    >
      <p>{t("Deletes the account with its sessions, tokens and shares. This cannot be undone.")}</p>
      <fieldset class="account-choices">
        <legend>{t("Workbooks of this person")}</legend>
        <label class="account-choice">
          <input type="radio" name="workbooks" checked={keepsWorkbooks()} onChange={() => setKeepsWorkbooks(true)} />
          <span>{t("Transfer them to me")}</span>
        </label>
        <label class="account-choice">
          <input type="radio" name="workbooks" checked={!keepsWorkbooks()} onChange={() => setKeepsWorkbooks(false)} />
          <span>{t("Delete them with all data")}</span>
        </label>
      </fieldset>
    </ConfirmDialog>
  );
}
