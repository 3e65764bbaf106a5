/** The dialog that creates an account and shows the link for its first sign-in. */

import { createSignal, Show } from "solid-js";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../../components/index.ts";
import { t } from "../../language/index.ts";
import { failureText, RequestFailed } from "../request.ts";
import { createAccount, type Invitation } from "./admin-data.ts";
import { SignInLinkDialog } from "./SignInLinkDialog.tsx";

/** Creates an account. */
export function NewAccountDialog(props: { readonly onClose: (isDone: boolean) => void }) {
  const [name, setName] = createSignal("");
  const [email, setEmail] = createSignal("");
  const [isAdmin, setIsAdmin] = createSignal(false);
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const [invitation, setInvitation] = createSignal<Invitation>();
  let form!: HTMLFormElement;
  const nameError = () => (isChecked() && name().trim() === "" ? t("Enter a name.") : undefined);
  const emailError = () => (isChecked() && !/^\S+@\S+$/.test(email().trim()) ? t("Enter a valid email address.") : undefined);
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    setFailure(undefined);
    if (nameError() ?? emailError()) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    try {
      setInvitation(await createAccount({ name: name().trim(), email: email().trim(), isAdmin: isAdmin() }));
    } catch (error) {
      const isTaken = error instanceof RequestFailed && error.code === "conflict";
      setFailure(isTaken ? t("Another account has this email address.") : failureText(error));
      setIsSending(false);
    }
  };
  return (
    <Show when={invitation()} fallback={
      <Modal isOpen title={t("Add account")} onClose={() => props.onClose(false)}>
        <form
          ref={form}
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <FormField label={t("Name")} errorText={nameError()}>
            {(attributes) => <input class="field" dir="auto" autocomplete="off" maxLength={100} value={name()} onInput={(event) => setName(event.currentTarget.value)} {...attributes} />}
          </FormField>
          <FormField label={t("Email address")} errorText={emailError()}>
            {(attributes) => (
              <input class="field" type="email" dir="ltr" autocomplete="off" autocapitalize="none" spellcheck={false} maxLength={254} value={email()} onInput={(event) => setEmail(event.currentTarget.value)} {...attributes} />
            )}
          </FormField>
          <label class="check">
            <input type="checkbox" checked={isAdmin()} onChange={(event) => setIsAdmin(event.currentTarget.checked)} />
            {t("Administrator of this server")}
          </label>
          <Show when={failure()}>
            <p class="form-error" role="alert">
              {failure()}
            </p>
          </Show>
          <DialogButtons onCancel={() => props.onClose(false)} label={t("Add account")} isDisabled={isSending()} />
        </form>
      </Modal>
    }>
      {(created) => <SignInLinkDialog name={name().trim()} invitation={created()} onClose={() => props.onClose(true)} />}
    </Show>
  );
}
