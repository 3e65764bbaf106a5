/** The dialog that shows a link which signs somebody in once. */

import { Modal } from "../../components/index.ts";
import { moment, t } from "../../language/index.ts";
import { CopyField } from "../CopyField.tsx";
import type { Invitation } from "./admin-data.ts";

/** Shows the link, to be sent to its person. */
export function SignInLinkDialog(props: { readonly name: string; readonly invitation: Invitation; readonly onClose: () => void }) {
  return (
    <Modal isOpen title={t("Sign-in link for {name}", { name: props.name })} onClose={() => props.onClose()}>
      <div class="form">
        <p role="status">
          {props.invitation.sent ? t("The link was sent by email.") : t("Send this link to {name} only.", { name: props.name })}{" "}
          {t("It works once, until {time}, and replaces earlier links. The password can be chosen after signing in.", { time: moment(props.invitation.expiresMs) })}
        </p>
        <CopyField label={t("Sign-in link")} value={new URL(props.invitation.url, location.origin).href} />
        <div class="modal-buttons">
          <button type="button" class="button is-main" onClick={() => props.onClose()}>
            {t("Done")}
          </button>
        </div>
      </div>
    </Modal>
  );
}
