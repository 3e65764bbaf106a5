/** The form of a named function: name, description, arguments and formula. */

import { createSignal, Index } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, focusInvalidField, FormField, Icon } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { displayedFormula, storedFormula } from "../settings/index.ts";
import { ARGUMENT_TEXT_MAX, type NamedFunction, type Parameter } from "./named-functions.ts";
import { nameError } from "./valid-names.ts";

interface FieldErrors {
  readonly name?: string | undefined;
  readonly parameters?: readonly (string | undefined)[];
  readonly formula?: string | undefined;
}

const PARAMETERS_MAX = 253;
const DESCRIPTION_MAX = 1_000;

/** The form of a function. `old` is the function that it replaces. */
export function NamedFunctionForm(props: {
  readonly model: WorkbookModel;
  readonly values: NamedFunction;
  readonly old: NamedFunction | undefined;
  readonly onSave: (changed: NamedFunction) => void;
  readonly onCancel: () => void;
}) {
  const { model, values, old } = props;
  const [name, setName] = createSignal(values.name);
  const [description, setDescription] = createSignal(values.description);
  const [parameters, setParameters] = createSignal<readonly Parameter[]>(values.parameters);
  const [formula, setFormula] = createSignal(values.formula === "" ? "" : displayedFormula(`=${values.formula}`));
  const [errors, setErrors] = createSignal<FieldErrors>({});
  let form!: HTMLFormElement;

  const setParameter = (index: number, changed: Partial<Parameter>): void => {
    setParameters(parameters().map((parameter, at) => (at === index ? { ...parameter, ...changed } : parameter)));
  };
  const formulaError = async (stored: string): Promise<string | undefined> => {
    if (stored === "") {
      return t("Enter a value.");
    }
    return (await model.session.query({ type: "isFormula", formula: stored })) ? undefined : t("This is not a valid formula.");
  };
  const save = async (): Promise<void> => {
    const names = await model.session.query({ type: "names" });
    const taken = names.filter((other) => other.sheet === null && other.name.toLowerCase() !== old?.name.toLowerCase());
    const stored = storedFormula(formula().trim()).replace(/^=/, "").trim();
    const { FUNCTIONS } = await import("@quadrille/protocol/functions");
    const isBuiltIn = FUNCTIONS.some((known) => known.name === name().trim().toUpperCase());
    const fieldErrors = {
      name: isBuiltIn ? t("A function with this name exists already.") : nameError(name().trim(), taken.map((other) => other.name)),
      parameters: parameters().map((parameter, index) =>
        nameError(parameter.name.trim(), parameters().filter((_, at) => at < index).map((other) => other.name.trim())),
      ),
      formula: await formulaError(stored),
    };
    setErrors(fieldErrors);
    if (fieldErrors.name !== undefined || fieldErrors.formula !== undefined || fieldErrors.parameters.some((error) => error !== undefined)) {
      focusInvalidField(form);
      return;
    }
    props.onSave({
      ...values,
      name: name().trim(),
      description: description().trim(),
      parameters: parameters().map((parameter) => ({ ...parameter, name: parameter.name.trim(), description: parameter.description.trim() })),
      formula: stored,
    });
  };

  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FormField label={t("Function name")} errorText={errors().name}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required spellcheck={false} value={name()} onInput={(event) => setName(event.currentTarget.value)} />}
      </FormField>
      <FormField label={t("Description of the function")} errorText={undefined}>
        {(attributes) => (
          <textarea {...attributes} class="field is-tall" dir="auto" rows={2} maxLength={DESCRIPTION_MAX} value={description()} onInput={(event) => setDescription(event.currentTarget.value)} />
        )}
      </FormField>
      <fieldset class="named-arguments">
        <legend>{t("Arguments")}</legend>
        <Index each={parameters()}>
          {(parameter, index) => (
            <div class="named-argument">
              <FormField label={t("Argument {number}", { number: index + 1 })} errorText={errors().parameters?.[index]}>
                {(attributes) => (
                  <input {...attributes} class="field" dir="auto" required spellcheck={false} value={parameter().name} onInput={(event) => setParameter(index, { name: event.currentTarget.value })} />
                )}
              </FormField>
              <FormField label={t("Description of argument {number}", { number: index + 1 })} errorText={undefined}>
                {(attributes) => (
                  <input
                    {...attributes}
                    class="field"
                    dir="auto"
                    maxLength={ARGUMENT_TEXT_MAX}
                    value={parameter().description}
                    onInput={(event) => setParameter(index, { description: event.currentTarget.value })}
                  />
                )}
              </FormField>
              <label class="check">
                <input type="checkbox" checked={parameter().isOptional} onChange={(event) => setParameter(index, { isOptional: event.currentTarget.checked })} />
                {t("Optional|of an argument")}
              </label>
              <button
                type="button"
                class="tool is-small"
                aria-label={t("Remove argument {number}", { number: index + 1 })}
                onClick={() => setParameters(parameters().filter((_, at) => at !== index))}
              >
                <Icon name="trash" />
              </button>
            </div>
          )}
        </Index>
        <button
          type="button"
          class="button"
          disabled={parameters().length >= PARAMETERS_MAX}
          onClick={() => setParameters([...parameters(), { name: "", isOptional: false, description: "" }])}
        >
          {t("Add argument")}
        </button>
      </fieldset>
      <FormField label={t("Formula|of a named function")} errorText={errors().formula}>
        {(attributes) => (
          <textarea {...attributes} class="field is-tall named-formula" dir="ltr" rows={3} required spellcheck={false} value={formula()} onInput={(event) => setFormula(event.currentTarget.value)} />
        )}
      </FormField>
      <DialogButtons label={old ? t("Change") : t("Add")} onCancel={() => props.onCancel()} />
    </form>
  );
}
