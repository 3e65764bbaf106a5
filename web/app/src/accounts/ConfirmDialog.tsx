/** A dialog that asks before something that cannot be undone. */

import { createSignal, type JSX, Show } from "solid-js";
import { DialogButtons, FormField, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { failureText, RequestFailed } from "./request.ts";

/** Asks for confirmation, then runs `onConfirm`; its failure is shown in the dialog. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly children: JSX.Element;
  /** Label of the button. */
  readonly action: string;
  /** A text that has to be typed first. */
  readonly typed?: string | undefined;
  /** What to do when the server answers that the state of things does not allow it. */
  readonly conflict?: string | undefined;
  readonly onConfirm: () => Promise<unknown>;
  /** Called when the dialog is to be closed; `isDone` after success. */
  readonly onClose: (isDone: boolean) => void;
}) {
  const [typed, setTyped] = createSignal("");
  const [isChecked, setIsChecked] = createSignal(false);
  const [isRunning, setIsRunning] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const matches = () => props.typed === undefined || typed().trim().toLowerCase() === props.typed.toLowerCase();
  const confirm = async (): Promise<void> => {
    setIsChecked(true);
    if (!matches()) {
      return;
    }
    setIsRunning(true);
    setFailure(undefined);
    try {
      await props.onConfirm();
      props.onClose(true);
    } catch (error) {
      setFailure(error instanceof RequestFailed && error.code === "conflict" ? (props.conflict ?? failureText(error)) : failureText(error));
      setIsRunning(false);
    }
  };
  return (
    <Modal isOpen title={props.title} onClose={() => props.onClose(false)}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <div class="account-texts">{props.children}</div>
        <Show when={props.typed}>
          {(expected) => (
            <FormField label={t("Type {text} to confirm", { text: expected() })} errorText={isChecked() && !matches() ? t("The text does not match.") : undefined}>
              {(attributes) => (
                <input class="field" dir="auto" autocomplete="off" autocapitalize="none" spellcheck={false} value={typed()} onInput={(event) => setTyped(event.currentTarget.value)} {...attributes} />
              )}
            </FormField>
          )}
        </Show>
        <Show when={failure()}>
          <p class="form-error" role="alert">
            {failure()}
          </p>
        </Show>
        <DialogButtons onCancel={() => props.onClose(false)} label={props.action} isDisabled={isRunning()} isDanger />
      </form>
    </Modal>
  );
}
