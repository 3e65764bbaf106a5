/** Which messages the own account gets. */

import { createSignal, Show } from "solid-js";
import { t } from "../language/index.ts";
import { type AccountDetails, setNotificationMail } from "./account-data.ts";
import { notify } from "./Notice.tsx";
import { failureText } from "./request.ts";
import { Section } from "./Section.tsx";

/** The setting for email about comments. */
export function NotificationsSection(props: { readonly account: AccountDetails; readonly onChanged: (account: AccountDetails) => void }) {
  const [failure, setFailure] = createSignal<string>();
  const [isSending, setIsSending] = createSignal(false);
  const change = async (field: HTMLInputElement): Promise<void> => {
    const isOn = field.checked;
    setIsSending(true);
    setFailure(undefined);
    try {
      props.onChanged(await setNotificationMail(isOn));
      notify(isOn ? t("Email is switched on.") : t("Email is switched off."));
    } catch (error) {
      field.checked = props.account.notificationMail;
      setFailure(failureText(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <Section id="notifications" title={t("Notifications")} note={t("You get email when somebody mentions you in a workbook, replies to you or assigns you a task while you do not have it open.")}>
      <label class="check">
        <input
          type="checkbox"
          checked={props.account.notificationMail}
          onClick={(event) => isSending() && event.preventDefault()}
          onChange={(event) => void change(event.currentTarget)}
        />
        {t("Email about mentions, replies and tasks")}
      </label>
      <Show when={failure()}>
        {(text) => (
          <p class="account-error" role="alert">
            {text()}
          </p>
        )}
      </Show>
    </Section>
  );
}
