/** A password field whose text can be shown. */

import { createSignal } from "solid-js";
import { FormField, Icon } from "../components/index.ts";
import { t } from "../language/index.ts";

/** Shortest password that the server accepts (`crates/server/src/access/password.rs`). */
export const PASSWORD_CHARACTERS_MIN = 8;

/** A labeled password field with a button that shows the text. */
export function PasswordField(props: {
  readonly label: string;
  readonly name: string;
  readonly autocomplete: "current-password" | "new-password";
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly errorText: string | undefined;
}) {
  const [isShown, setIsShown] = createSignal(false);
  return (
    <div class="password-field">
      <FormField label={props.label} errorText={props.errorText}>
        {(attributes) => (
          <input
            class="field"
            type={isShown() ? "text" : "password"}
            name={props.name}
            dir="ltr"
            autocomplete={props.autocomplete}
            autocapitalize="none"
            spellcheck={false}
            maxLength={1024}
            value={props.value}
            onInput={(event) => props.onInput(event.currentTarget.value)}
            {...attributes}
          />
        )}
      </FormField>
      <button
        type="button"
        class="tool"
        aria-pressed={isShown()}
        aria-label={t("Show password: {name}", { name: props.label })}
        title={t("Show password")}
        onClick={() => setIsShown(!isShown())}
      >
        <Icon name="eye" />
      </button>
    </div>
  );
}
