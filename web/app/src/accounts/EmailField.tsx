/** The field for the address of the own account, which password managers fill in. */

import { FormField } from "../components/index.ts";
import { t } from "../language/index.ts";

/** A labeled field for an email address that has the focus when it appears. */
export function EmailField(props: {
  readonly autocomplete: "username" | "username webauthn";
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly errorText: string | undefined;
}) {
  return (
    <FormField label={t("Email address")} errorText={props.errorText}>
      {(attributes) => (
        <input
          class="field"
          type="email"
          name="username"
          dir="ltr"
          autocomplete={props.autocomplete}
          autocapitalize="none"
          spellcheck={false}
          autofocus
          value={props.value}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          {...attributes}
        />
      )}
    </FormField>
  );
}
