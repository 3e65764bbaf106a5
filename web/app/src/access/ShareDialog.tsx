/** The Share dialog: people, general access, share links, requests and ownership of a workbook. */

import "../style/share.css";
import { createResource, createSignal, Match, Show, Switch } from "solid-js";
import { CopyButton, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { claimRoom } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { Act } from "./act.ts";
import { AccessRefused, moveToTrash, readAccess, type WorkbookAccess } from "./access-api.ts";
import { GeneralAccessForm } from "./GeneralAccess.tsx";
import { linkOf } from "./credentials.ts";
import { Imports } from "./Imports.tsx";
import { OwnerActions } from "./OwnerActions.tsx";
import { InvitationNote } from "./InvitationNote.tsx";
import { type Invited, roomAddress } from "./invite.ts";
import { AddPerson, People } from "./People.tsx";
import { RequestList } from "./RequestList.tsx";
import { generalRole, generalText, roleName } from "./roles.ts";
import { sessionInfo } from "./session-info.ts";
import { ShareLinks } from "./ShareLinks.tsx";

/** The Share dialog. */
export function ShareDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const { room } = model;
  const [session] = createResource(sessionInfo);
  const hasAccounts = () => session()?.access === "accounts";
  const [invited, setInvited] = createSignal<Invited>();
  const [access, { refetch }] = createResource(() => readAccess(room));
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setIsBusy] = createSignal(false);
  const act: Act = async (change) => {
    setFailure(undefined);
    setIsBusy(true);
    try {
      await change();
      await refetch();
      void model.access.refreshOwnerInfo();
      return true;
    } catch (error) {
      setFailure(error instanceof AccessRefused ? error.message : String(error));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  const current = (): WorkbookAccess | undefined => (access.state === "errored" ? undefined : access.latest);
  const trash = (): void => {
    void act(() => moveToTrash(room)).then((isDone) => {
      if (isDone) {
        model.closeDialog();
      }
    });
  };
  return (
    <Modal isOpen isWide title={t("Share “{name}”", { name: model.title.displayed() })} onClose={() => model.closeDialog()}>
      <div class="share-dialog" aria-busy={isBusy()}>
        <Switch>
          <Match when={access.state === "errored"}>
            <p class="import-failure" role="alert">
              {access.error instanceof Error ? access.error.message : ""}
            </p>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => void refetch()}>
                {t("Try again")}
              </button>
            </div>
          </Match>
          <Match when={access.state === "pending" || session.state === "pending"}>
            <p class="panel-note" role="status">
              {t("Loading…")}
            </p>
          </Match>
          <Match when={current()?.role === "owner" && current()} keyed={false}>
            {(owned) => (
              <>
                <RequestList room={room} requests={owned().requests ?? []} act={act} hasAccounts={hasAccounts()} onInvited={setInvited} />
                <AddPerson room={room} act={act} hasAccounts={hasAccounts()} onInvited={setInvited} />
                <Show when={invited()}>{(invitation) => <InvitationNote invited={invitation()} />}</Show>
                <People room={room} access={owned()} act={act} hasAccounts={hasAccounts()} ownId={session()?.account?.id} />
                <GeneralAccessForm room={room} access={owned()} act={act} />
                <ShareLinks room={room} links={owned().links ?? []} act={act} />
                <Imports room={room} imports={owned().imports ?? []} act={act} />
                <OwnerActions model={model} access={owned()} act={act} onTrash={trash} />
              </>
            )}
          </Match>
          <Match when={true}>
            <Reduced model={model} access={current()} act={act} />
          </Match>
        </Switch>
        <Show when={failure()}>
          <p class="import-failure" role="alert">
            {failure()}
          </p>
        </Show>
        <div class="modal-buttons share-footer">
          <CopyButton text={() => addressOf(model)} label={t("Copy link")} />
          <button type="button" class="button is-main" onClick={() => model.closeDialog()}>
            {t("Done")}
          </button>
        </div>
      </div>
    </Modal>
  );
}

/** The address of the workbook, with the link by which this browser opened it. */
function addressOf(model: WorkbookModel): string {
  const link = linkOf(model.room);
  const address = roomAddress(model.room);
  return link === undefined || model.access.isOwner() ? address : `${address}#link=${link}`;
}

/** What people see who do not own the workbook. */
function Reduced(props: { readonly model: WorkbookModel; readonly access: WorkbookAccess | undefined; readonly act: Act }) {
  const role = () => props.access && generalRole(props.access);
  return (
    <>
      <section class="share-section" aria-labelledby="share-general">
        <h3 id="share-general">{t("General access")}</h3>
        <p>
          <Show when={props.access} fallback={t("Anyone who knows the address can edit.")}>
            {generalText(role())}
          </Show>
        </p>
        <Show when={props.access}>{(access) => <p class="panel-note">{t("Your role: {role}", { role: roleName(access().role) })}</p>}</Show>
        <Show when={props.access?.isClaimed === true}>
          <p class="panel-note">{t("Only the owner can change who has access.")}</p>
        </Show>
      </section>
      <Show when={props.access?.isClaimed === false}>
        <section class="share-section" aria-labelledby="share-unclaimed">
          <h3 id="share-unclaimed">{t("Nobody owns this workbook")}</h3>
          <p>{t("The settings of the server determine who can open it.")}</p>
          <Show when={props.access?.canClaim}>
            <p class="panel-note">{t("Become the owner to restrict access, create share links and name people. This browser keeps the key.")}</p>
            <button type="button" class="button" onClick={() => void props.act(() => claim(props.model))}>
              {t("Become the owner")}
            </button>
          </Show>
        </section>
      </Show>
    </>
  );
}

async function claim(model: WorkbookModel): Promise<void> {
  if (!(await claimRoom(model.room))) {
    throw new AccessRefused("conflict");
  }
  model.access.reconnect();
}
