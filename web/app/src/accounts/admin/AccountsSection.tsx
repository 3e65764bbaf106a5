/** The accounts of the server. */

import { createSignal, For, Match, Show, Switch } from "solid-js";
import { Icon, Menu, MenuItem, MenuSeparator } from "../../components/index.ts";
import { ago, t } from "../../language/index.ts";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { notify } from "../Notice.tsx";
import { createDelayed, createRemoteList } from "../remote.ts";
import { failureText, RequestFailed } from "../request.ts";
import { Loaded, Row, Section } from "../Section.tsx";
import { session } from "../session.ts";
import { accountExportPath, changeAccount, type Invitation, inviteAccount, type ManagedAccount, readAccounts, setAccountQuota } from "./admin-data.ts";
import { showBytes } from "./bytes.ts";
import { EraseDialog } from "./EraseDialog.tsx";
import { MoreButton } from "./MoreButton.tsx";
import { NewAccountDialog } from "./NewAccountDialog.tsx";
import { initialQuota } from "./quota-form.ts";
import { QuotaDialog } from "./QuotaDialog.tsx";
import { SearchField } from "./SearchField.tsx";
import { SignInLinkDialog } from "./SignInLinkDialog.tsx";

type Open =
  | { readonly dialog: "new" }
  | { readonly dialog: "link"; readonly account: ManagedAccount; readonly invitation: Invitation }
  | { readonly dialog: "disable" | "delete" | "quota"; readonly account: ManagedAccount };

/** Lists, creates, changes and deletes accounts. */
export function AccountsSection() {
  const [search, setSearch] = createSignal("");
  const accounts = createRemoteList(createDelayed(() => search().trim()), readAccounts);
  const [open, setOpen] = createSignal<Open>();
  const change = async (account: ManagedAccount, changed: Parameters<typeof changeAccount>[1], done: string): Promise<void> => {
    try {
      await changeAccount(account.id, changed);
      notify(done);
    } catch (error) {
      notify(error instanceof RequestFailed && error.code === "conflict" ? t("The last administrator must stay one.") : failureText(error));
    }
    await accounts.reload();
  };
  const makeLink = async (account: ManagedAccount): Promise<void> => {
    try {
      setOpen({ dialog: "link", account, invitation: await inviteAccount(account.id) });
    } catch (error) {
      notify(failureText(error));
    }
  };
  const close = (isDone: boolean): void => {
    setOpen(undefined);
    if (isDone) {
      void accounts.reload();
    }
  };
  return (
    <Section
      title={t("Accounts")}
      action={
        <button type="button" class="button is-main" onClick={() => setOpen({ dialog: "new" })}>
          <Icon name="plus" />
          {t("Add account")}
        </button>
      }
    >
      <SearchField label={t("Search by name or email address")} value={search()} onInput={setSearch} />
      <Loaded of={accounts}>
        {(page) => (
          <ul class="account-rows">
            <For each={page().items} fallback={<li class="account-empty">{search().trim() === "" ? t("No accounts yet") : t("Nothing found")}</li>}>
              {(account) => (
                <Row
                  title={<bdi>{account.name}</bdi>}
                  badges={
                    <>
                      <Show when={account.isAdmin}>
                        <span class="badge is-accent">{t("Administrator")}</span>
                      </Show>
                      <Show when={account.isDisabled}>
                        <span class="badge is-warning">{t("Disabled")}</span>
                      </Show>
                    </>
                  }
                  facts={
                    <>
                      <Show when={account.email}>
                        <span dir="ltr">{account.email}</span>
                      </Show>
                      <span>{t("Created {time}", { time: ago(account.createdMs) })}</span>
                      <Show when={account.workbookCount !== undefined}>
                        <span>
                          {t("{count} workbooks", { count: account.workbookCount ?? 0 })} · {showBytes(account.storedBytes ?? 0)}
                        </span>
                      </Show>
                      <span>{account.lastSeenMs > 0 ? t("Last seen {time}", { time: ago(account.lastSeenMs) }) : t("Never signed in")}</span>
                    </>
                  }
                  actions={
                    <Menu label={t("Actions for {name}", { name: account.name })} button={<Icon name="more" />} onClosed={() => undefined}>
                      <MenuItem icon="share" onSelect={() => void makeLink(account)}>
                        {t("Create sign-in link")}
                      </MenuItem>
                      <MenuItem icon="people" onSelect={() => void change(account, { isAdmin: !account.isAdmin }, account.isAdmin ? t("{name} is no longer an administrator.", { name: account.name }) : t("{name} is now an administrator.", { name: account.name }))}>
                        {account.isAdmin ? t("Remove administrator") : t("Make administrator")}
                      </MenuItem>
                      <MenuItem icon="edit" onSelect={() => setOpen({ dialog: "quota", account })}>
                        {t("Change quota…")}
                      </MenuItem>
                      <MenuItem icon="download" onSelect={() => location.assign(accountExportPath(account.id))}>
                        {t("Download data")}
                      </MenuItem>
                      <MenuSeparator />
                      <Show
                        when={account.isDisabled}
                        fallback={
                          <MenuItem icon="lock" isDisabled={account.id === session()?.account?.id} onSelect={() => setOpen({ dialog: "disable", account })}>
                            {t("Disable account…")}
                          </MenuItem>
                        }
                      >
                        <MenuItem icon="check" onSelect={() => void change(account, { isDisabled: false }, t("{name} can sign in again.", { name: account.name }))}>
                          {t("Enable account")}
                        </MenuItem>
                      </Show>
                      <MenuItem icon="trash" isDangerous isDisabled={account.id === session()?.account?.id} onSelect={() => setOpen({ dialog: "delete", account })}>
                        {t("Delete account…")}
                      </MenuItem>
                    </Menu>
                  }
                />
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <MoreButton of={accounts} />
      <Show when={open()} keyed>
        {(shown) => (
          <Switch>
            <Match when={shown.dialog === "new"}>
              <NewAccountDialog onClose={close} />
            </Match>
            <Match when={shown.dialog === "link" && shown}>
              {(given) => <SignInLinkDialog name={given().account.name} invitation={given().invitation} onClose={() => close(false)} />}
            </Match>
            <Match when={shown.dialog === "disable" && shown}>
              {(given) => (
                <ConfirmDialog
                  title={t("Disable {name}?", { name: given().account.name })}
                  action={t("Disable account")}
                  conflict={t("The last administrator must stay one.")}
                  onConfirm={() => changeAccount(given().account.id, { isDisabled: true })}
                  onClose={close}
                >
                  <p>{t("All sessions and tokens of this person stop working at once. Workbooks are kept.")}</p>
                </ConfirmDialog>
              )}
            </Match>
            <Match when={shown.dialog === "quota" && shown}>
              {(given) => <QuotaDialog name={given().account.name} stored={initialQuota(given().account.quota ?? {})} save={(quota) => setAccountQuota(given().account.id, quota)} onClose={close} />}
            </Match>
            <Match when={shown.dialog === "delete" && shown}>
              {(given) => <EraseDialog account={given().account} onClose={close} />}
            </Match>
          </Switch>
        )}
      </Show>
    </Section>
  );
}
