/** The dialog that creates an API token and shows its secret once. */

import { createSignal, For, Show } from "solid-js";
import { DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import { language, type Message, t } from "../language/index.ts";
import { createToken, type Scope } from "./account-data.ts";
import { CopyField } from "./CopyField.tsx";
import { failureText, RequestFailed } from "./request.ts";
import { expiryMs, roomsOf, type Validity } from "./token-form.ts";

const SCOPES: readonly (readonly [scope: Scope, name: Message, description: Message])[] = [
  ["read", "Read", "Reads workbooks and exports them."],
  ["write", "Read and write", "Also changes workbooks and creates new ones."],
  ["admin", "Full access", "Also shares and deletes workbooks and changes your account."],
];
const HEADER_EXAMPLE = "Authorization: Bearer qt_…";
const VALIDITIES: readonly Validity[] = ["7", "30", "90", "365", "date", "unlimited"];

function validityName(validity: Validity): string {
  switch (validity) {
    case "date":
      return t("Until a date");
    case "unlimited":
      return t("No expiration");
    default: {
      const [unit, count] = validity === "365" ? ["year", 1] as const : ["day", Number(validity)] as const;
      return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long" }).format(count);
    }
  }
}

/** Creates a token. */
export function TokenDialog(props: { readonly onClose: (isDone: boolean) => void }) {
  const [secret, setSecret] = createSignal<string>();
  return (
    <Modal isOpen title={secret() === undefined ? t("Create token") : t("Copy your token now")} onClose={() => props.onClose(secret() !== undefined)}>
      <Show when={secret()} fallback={<TokenForm onCreated={setSecret} onCancel={() => props.onClose(false)} />}>
        {(created) => (
          <div class="form">
            <p role="status">{t("It is shown only once. Keep it like a password.")}</p>
            <CopyField label={t("Token")} value={created()} />
            <p class="account-note">{t("Send it with each request in the header:")}</p>
            <code class="account-code" dir="ltr">
              {HEADER_EXAMPLE}
            </code>
            <div class="modal-buttons">
              <button type="button" class="button is-main" onClick={() => props.onClose(true)}>
                {t("Done")}
              </button>
            </div>
          </div>
        )}
      </Show>
    </Modal>
  );
}

function TokenForm(props: { readonly onCreated: (secret: string) => void; readonly onCancel: () => void }) {
  const [label, setLabel] = createSignal("");
  const [scope, setScope] = createSignal<Scope>("read");
  const [hasRooms, setHasRooms] = createSignal(false);
  const [roomText, setRoomText] = createSignal("");
  const [validity, setValidity] = createSignal<Validity>("90");
  const [date, setDate] = createSignal("");
  const [isChecked, setIsChecked] = createSignal(false);
  const [isSending, setIsSending] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  let form!: HTMLFormElement;
  const expires = () => expiryMs(validity(), date(), Date.now());
  const errors = () => ({
    label: label().trim() === "" ? t("Enter a name.") : undefined,
    rooms: hasRooms() && roomsOf(roomText()).length === 0 ? t("Enter at least one workbook.") : undefined,
    date: expires() === undefined ? t("Enter a date in the future.") : undefined,
  });
  const submit = async (): Promise<void> => {
    setIsChecked(true);
    const { label: noLabel, rooms, date: noDate } = errors();
    const expiresMs = expires();
    if (noLabel ?? rooms ?? noDate ?? expiresMs === undefined) {
      focusInvalidField(form);
      return;
    }
    setIsSending(true);
    setFailure(undefined);
    try {
      props.onCreated(await createToken({ label: label().trim(), scope: scope(), rooms: hasRooms() ? roomsOf(roomText()) : null, expiresMs: expiresMs ?? null }));
    } catch (error) {
      setFailure(error instanceof RequestFailed && error.code === "conflict" ? t("You have too many tokens. Revoke one first.") : failureText(error));
      setIsSending(false);
    }
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <FormField label={t("Name")} errorText={isChecked() ? errors().label : undefined}>
        {(attributes) => (
          <input class="field" dir="auto" autocomplete="off" maxLength={100} placeholder={t("For example, the program that uses it")} value={label()} onInput={(event) => setLabel(event.currentTarget.value)} {...attributes} />
        )}
      </FormField>
      <fieldset class="account-choices">
        <legend>{t("Scope")}</legend>
        <For each={SCOPES}>
          {([value, name, description]) => (
            <label class="account-choice">
              <input type="radio" name="scope" checked={scope() === value} onChange={() => setScope(value)} />
              <span>
                {t(name)}
                <small>{t(description)}</small>
              </span>
            </label>
          )}
        </For>
      </fieldset>
      <fieldset class="account-choices">
        <legend>{t("Workbooks")}</legend>
        <label class="account-choice">
          <input type="radio" name="rooms" checked={!hasRooms()} onChange={() => setHasRooms(false)} />
          <span>{t("All workbooks that I can open")}</span>
        </label>
        <label class="account-choice">
          <input type="radio" name="rooms" checked={hasRooms()} onChange={() => setHasRooms(true)} />
          <span>{t("Only these workbooks")}</span>
        </label>
        <Show when={hasRooms()}>
          <FormField label={t("Names or addresses, one per line")} errorText={isChecked() ? errors().rooms : undefined}>
            {(attributes) => <textarea class="field is-tall" rows={3} dir="ltr" spellcheck={false} value={roomText()} onInput={(event) => setRoomText(event.currentTarget.value)} {...attributes} />}
          </FormField>
        </Show>
      </fieldset>
      <div class="form-pair">
        <label class="form-label">
          {t("Expiration")}
          <select class="field" onChange={(event) => setValidity(VALIDITIES.find((value) => value === event.currentTarget.value) ?? "90")}>
            <For each={VALIDITIES}>
              {(value) => (
                <option value={value} selected={value === validity()}>
                  {validityName(value)}
                </option>
              )}
            </For>
          </select>
        </label>
        <Show when={validity() === "date"}>
          <FormField label={t("Date")} errorText={isChecked() ? errors().date : undefined}>
            {(attributes) => <input class="field" type="date" value={date()} onInput={(event) => setDate(event.currentTarget.value)} {...attributes} />}
          </FormField>
        </Show>
      </div>
      <Show when={failure()}>
        <p class="form-error" role="alert">
          {failure()}
        </p>
      </Show>
      <DialogButtons onCancel={() => props.onCancel()} label={t("Create token")} isDisabled={isSending()} />
    </form>
  );
}
