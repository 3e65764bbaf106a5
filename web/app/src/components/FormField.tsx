/** A question of a form: its words, its field, and below that what is wrong with the answer. */

import { createUniqueId, type JSX, Show } from "solid-js";

/** For the field, so that who hears the page hears with it what is wrong. */
export interface FieldMarks {
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

export function FormField(props: { readonly label: JSX.Element; readonly problem: string | undefined; readonly children: (marks: FieldMarks) => JSX.Element }) {
  const id = createUniqueId();
  const marks: FieldMarks = {
    get "aria-invalid"() {
      return props.problem !== undefined;
    },
    get "aria-describedby"() {
      return props.problem === undefined ? undefined : id;
    },
  };
  return (
    <div class="form-asked">
      <label class="form-line">
        {props.label}
        {props.children(marks)}
      </label>
      {/* Not within the label, or it would be part of the field's name. */}
      <Show when={props.problem}>
        <p class="form-problem" id={id} role="alert">
          {props.problem}
        </p>
      </Show>
    </div>
  );
}

/** The first answer that has to be another, once its problem is on screen. */
export function focusInvalidField(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
