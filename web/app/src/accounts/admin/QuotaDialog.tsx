/** The dialog for the quota of an account or a tenant. */

import { createSignal, For, Show } from "solid-js";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../../components/index.ts";
import { type Message, t } from "../../language/index.ts";
import { notify } from "../Notice.tsx";
import { failureText } from "../request.ts";
import type { Quota } from "./admin-data.ts";
import { quotaOf } from "./quota-form.ts";

const FIELDS: readonly (readonly [name: keyof Quota, label: Message])[] = [
  ["workbooks", "Workbooks"],
  ["bytes", "Storage in bytes"],
  ["sessions", "People connected"],
  ["operationsPerSecond", "Changes per second"],
  ["exportsPerHour", "Exports per hour"],
];

/** Changes a quota. */
export function QuotaDialog(props: {
  readonly name: string;
  readonly stored: Partial<Quota> | undefined;
  readonly save: (quota: Quota) => Promise<unknown>;
  readonly onClose: (isDone: boolean) => void;
}) {
  const [texts, setTexts] = createSignal<Readonly<Record<keyof Quota, string>>>({
    workbooks: String(props.stored?.workbooks ?? ""),
    bytes: String(props.stored?.bytes ?? ""),
    sessions: String(props.stored?.sessions ?? ""),
    operationsPerSecond: String(props.stored?.operationsPerSecond ?? ""),
    exportsPerHour: String(props.stored?.exportsPerHour ?? ""),
  });
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  let form!: HTMLFormElement;
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    const { quota } = quotaOf(texts());
    if (!quota) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    setFailure(undefined);
    try {
      await props.save(quota);
      notify(t("The quota was changed."));
      props.onClose(true);
    } catch (error) {
      setFailure(failureText(error));
      setIsSending(false);
    }
  };
  return (
    <Modal isOpen title={t("Quota of {name}", { name: props.name })} onClose={() => props.onClose(false)}>
      <form
        ref={form}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="account-note">{t("An empty field stands for the setting of the server, 0 for no limit.")}</p>
        <For each={FIELDS}>
          {([name, label]) => (
            <FormField label={t(label)} errorText={isChecked() && quotaOf(texts()).invalid.includes(name) ? t("Enter a whole number.") : undefined}>
              {(attributes) => <input class="field" dir="ltr" inputMode="numeric" autocomplete="off" value={texts()[name]} onInput={(event) => setTexts({ ...texts(), [name]: event.currentTarget.value })} {...attributes} />}
            </FormField>
          )}
        </For>
        <Show when={failure()}>
          <p class="form-error" role="alert">
            {failure()}
          </p>
        </Show>
        <DialogButtons onCancel={() => props.onClose(false)} label={t("Save")} isDisabled={isSending()} />
      </form>
    </Modal>
  );
}
