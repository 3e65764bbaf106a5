/** A labeled form field with an error message below it. */

import { createUniqueId, type JSX, Show } from "solid-js";

/** ARIA attributes for the field, so that screen readers read the error message with it. */
export interface FieldAttributes {
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

/** A labeled field; `children` renders the input with the ARIA attributes it is given. */
export function FormField(props: { readonly label: JSX.Element; readonly errorText: string | undefined; readonly children: (attributes: FieldAttributes) => JSX.Element }) {
  const id = createUniqueId();
  const attributes: FieldAttributes = {
    get "aria-invalid"() {
      return props.errorText !== undefined;
    },
    get "aria-describedby"() {
      return props.errorText === undefined ? undefined : id;
    },
  };
  return (
    <div class="form-field">
      <label class="form-label">
        {props.label}
        {props.children(attributes)}
      </label>
      {/* Outside of the label, or it would be part of the accessible name. */}
      <Show when={props.errorText}>
        <p class="form-error" id={id} role="alert">
          {props.errorText}
        </p>
      </Show>
    </div>
  );
}

/** Focuses the first invalid field; call it after the error messages are rendered. */
export function focusInvalidField(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
