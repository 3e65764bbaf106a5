/** Requests for access that the owner answers. */

import { createSignal, Show } from "solid-js";
import { KeyedFor } from "../components/index.ts";
import { ago, t } from "../language/index.ts";
import type { Act } from "./act.ts";
import { type AccessRequest, answerRequest, type SharedRole } from "./access-api.ts";
import { inviteByLink, type Invited, invitedBy } from "./invite.ts";
import { RoleSelect } from "./RoleSelect.tsx";

interface RequestsProps {
  readonly room: string;
  readonly act: Act;
  readonly hasAccounts: boolean;
  readonly onInvited: (invited: Invited) => void;
}

/** The open requests, oldest first. */
export function RequestList(props: RequestsProps & { readonly requests: readonly AccessRequest[] }) {
  return (
    <Show when={props.requests.length > 0}>
      <section class="share-section share-requests" aria-labelledby="share-requests">
        <h3 id="share-requests">{t("Requests for access")}</h3>
        <ul>
          <KeyedFor each={props.requests} by={({ id }) => id}>
            {(request) => <Request room={props.room} request={request()} act={props.act} hasAccounts={props.hasAccounts} onInvited={props.onInvited} />}
          </KeyedFor>
        </ul>
      </section>
    </Show>
  );
}

function Request(props: RequestsProps & { readonly request: AccessRequest }) {
  const { request } = props;
  const [role, setRole] = createSignal<SharedRole>("view");
  /** Whether the person can be named: a person without an account gets a share link instead. */
  const isNamed = () => request.account !== null || (props.hasAccounts && request.email !== null);
  const decline = (): void => void props.act(() => answerRequest(props.room, request.id, undefined));
  const share = (): void =>
    void props.act(async () => {
      if (isNamed()) {
        const invitation = await answerRequest(props.room, request.id, role());
        props.onInvited(invitedBy(props.room, request.email ?? request.name, invitation));
      } else {
        props.onInvited(await inviteByLink(props.room, request.email ?? request.name, role()));
        await answerRequest(props.room, request.id, undefined);
      }
    });
  return (
    <li class="share-request">
      <p>
        <strong dir="auto">{request.name}</strong> <Show when={request.email}>{(email) => <bdi class="share-detail">{email()}</bdi>}</Show>{" "}
        <span class="share-detail">{ago(request.createdMs)}</span>
      </p>
      <Show when={request.message}>
        <p class="share-message" dir="auto">
          {request.message}
        </p>
      </Show>
      <div class="share-answer">
        <RoleSelect label={t("Role of {name}", { name: request.name })} value={role()} onChange={setRole} />
        <button type="button" class="button" onClick={decline}>
          {t("Decline")}
        </button>
        <button type="button" class="button is-main" onClick={share}>
          {t("Share")}
        </button>
      </div>
    </li>
  );
}
