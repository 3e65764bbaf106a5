/** The dialog that gives a workbook to another account. */

import { createSignal, For, Show } from "solid-js";
import { DialogButtons, FormField, Modal } from "../../components/index.ts";
import { t } from "../../language/index.ts";
import { createDelayed, createRemoteList } from "../remote.ts";
import { failureText } from "../request.ts";
import { type ManagedAccount, type ManagedWorkbook, readAccounts, transferWorkbook } from "./admin-data.ts";

/** Accounts that are suggested at once. */
const SUGGESTIONS_MAX = 6;

/** Chooses the new owner of a workbook. */
export function TransferDialog(props: { readonly workbook: ManagedWorkbook; readonly name: string; readonly onClose: (isDone: boolean) => void }) {
  const [search, setSearch] = createSignal("");
  const [chosen, setChosen] = createSignal<ManagedAccount>();
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const accounts = createRemoteList(createDelayed(() => search().trim()), readAccounts);
  const suggestions = () => (accounts.data()?.items ?? []).filter((account) => !account.isDisabled && account.id !== props.workbook.owner?.id).slice(0, SUGGESTIONS_MAX);
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    const account = chosen();
    if (!account) {
      return;
    }
    setIsSending(true);
    setFailure(undefined);
    try {
      await transferWorkbook(props.workbook.room, account.id);
      props.onClose(true);
    } catch (error) {
      setFailure(failureText(error));
      setIsSending(false);
    }
  };
  return (
    <Modal isOpen title={t("Transfer {name}", { name: props.name })} onClose={() => props.onClose(false)}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <FormField label={t("Search for the new owner")} errorText={isChecked() && !chosen() ? t("Choose an account.") : undefined}>
          {(attributes) => <input class="field" type="search" dir="auto" autocomplete="off" value={search()} onInput={(event) => setSearch(event.currentTarget.value)} {...attributes} />}
        </FormField>
        <fieldset class="account-choices">
          <legend class="visually-hidden">{t("New owner")}</legend>
          <For each={suggestions()} fallback={<p class="account-note">{accounts.data() ? t("Nothing found") : t("Loading…")}</p>}>
            {(account) => (
              <label class="account-choice">
                <input type="radio" name="owner" checked={chosen()?.id === account.id} onChange={() => setChosen(account)} />
                <span>
                  <bdi>{account.name}</bdi>
                  <small dir="ltr">{account.email}</small>
                </span>
              </label>
            )}
          </For>
        </fieldset>
        <Show when={failure() ?? (accounts.error() !== undefined ? failureText(accounts.error()) : undefined)}>
          {(text) => (
            <p class="form-error" role="alert">
              {text()}
            </p>
          )}
        </Show>
        <DialogButtons onCancel={() => props.onClose(false)} label={t("Transfer ownership")} isDisabled={isSending()} />
      </form>
    </Modal>
  );
}
