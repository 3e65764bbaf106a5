/** The settings of a form: its texts, questions, and when it is closed. */

import { createSignal, For, onMount, Show } from "solid-js";
import { DialogButtons, FormField } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { FormChange, FormDetails } from "./forms-api.ts";
import { type EditedQuestion, editedQuestions, givenQuestions, QuestionEditor } from "./QuestionEditor.tsx";

const TEXT_MAX = 2_000;

/** The settings of a form. */
export function FormEditor(props: {
  readonly form: FormDetails;
  readonly onSave: (change: FormChange) => Promise<void>;
  readonly onPreview: (change: FormChange) => void;
  readonly onCancel: () => void;
  readonly onNewLink: () => void;
  readonly onRevokeLink: () => Promise<void>;
  readonly onDelete: () => Promise<void>;
}) {
  const { form } = props;
  const [title, setTitle] = createSignal(form.title);
  const [description, setDescription] = createSignal(form.description);
  const [confirmation, setConfirmation] = createSignal(form.confirmation);
  const [isClosed, setIsClosed] = createSignal(form.isClosed);
  const [closes, setCloses] = createSignal(form.closesMs === null ? "" : dayOf(form.closesMs));
  const [rowsMax, setRowsMax] = createSignal(form.rowsMax === null ? "" : String(form.rowsMax));
  const [timestamp, setTimestamp] = createSignal(form.timestampColumn ?? "");
  const [questions, setQuestions] = createSignal<readonly EditedQuestion[]>(editedQuestions(form));
  const [errors, setErrors] = createSignal<{ readonly title?: string; readonly questions?: string }>({});
  const asked = (): readonly EditedQuestion[] => questions().filter(({ column, isShown }) => isShown && column !== timestamp());
  const change = (index: number, changed: Partial<EditedQuestion>): void => {
    setQuestions(questions().map((question, at) => (at === index ? { ...question, ...changed } : question)));
  };
  const move = (index: number, by: -1 | 1): void => {
    const moved = [...questions()];
    const [question] = moved.splice(index, 1);
    if (question) {
      moved.splice(index + by, 0, question);
      setQuestions(moved);
    }
  };
  const [confirmed, setConfirmed] = createSignal<"revoke" | "delete">();
  /** What is entered, or `undefined` with its errors shown. */
  const entered = (): FormChange | undefined => {
    const missing = {
      ...(title().trim() === "" ? { title: t("Enter a value.") } : {}),
      ...(asked().length === 0 ? { questions: t("Show at least one question.") } : {}),
    };
    setErrors(missing);
    if (Object.keys(missing).length > 0) {
      return undefined;
    }
    const limit = Number(rowsMax());
    return {
      title: title().trim(),
      description: description().trim(),
      confirmation: confirmation().trim(),
      isClosed: isClosed(),
      closesMs: closes() === "" ? null : new Date(`${closes()}T23:59:59`).getTime(),
      rowsMax: rowsMax() === "" || !(limit >= 1) ? null : Math.floor(limit),
      timestampColumn: timestamp() === "" ? null : timestamp(),
      questions: givenQuestions(asked()),
    };
  };
  const withEntered = (use: (change: FormChange) => unknown): void => {
    const change = entered();
    if (change) {
      use(change);
    }
  };
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        withEntered(props.onSave);
      }}
    >
      <FormField label={t("Title")} errorText={errors().title}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required maxLength={200} value={title()} onInput={(event) => setTitle(event.currentTarget.value)} />}
      </FormField>
      <label class="form-label">
        {t("Description")}
        <textarea class="field is-tall" dir="auto" rows={2} maxLength={TEXT_MAX} value={description()} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
      <fieldset class="forms-questions">
        <legend>{t("Questions")}</legend>
        <ol>
          <For each={questions().map(({ column }) => column)}>
            {(_column, index) => (
              <QuestionEditor
                question={() => questions()[index()] as EditedQuestion}
                isTimestamp={() => questions()[index()]?.column === timestamp()}
                isFirst={index() === 0}
                isLast={index() === questions().length - 1}
                onChange={(changed) => change(index(), changed)}
                onMove={(by) => move(index(), by)}
              />
            )}
          </For>
        </ol>
        {errors().questions !== undefined && (
          <p class="form-error" role="alert">
            {errors().questions}
          </p>
        )}
      </fieldset>
      <label class="form-label">
        {t("Column for the time of the response")}
        <select class="field" value={timestamp()} onChange={(event) => setTimestamp(event.currentTarget.value)}>
          <option value="">{t("None|column")}</option>
          <For each={form.columns.filter(({ isCalculated }) => !isCalculated)}>{({ header }) => <option value={header}>{header}</option>}</For>
        </select>
      </label>
      <label class="form-label">
        {t("Confirmation message")}
        <textarea class="field is-tall" dir="auto" rows={2} maxLength={TEXT_MAX} value={confirmation()} onInput={(event) => setConfirmation(event.currentTarget.value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked={!isClosed()} onChange={(event) => setIsClosed(!event.currentTarget.checked)} />
        {t("Accept responses")}
      </label>
      <div class="form-pair">
        <label class="form-label">
          {t("Closes on (optional)")}
          <input class="field" type="date" value={closes()} onInput={(event) => setCloses(event.currentTarget.value)} />
        </label>
        <label class="form-label">
          {t("Maximum rows (optional)")}
          <input class="field" type="number" min={1} step={1} dir="ltr" value={rowsMax()} onInput={(event) => setRowsMax(event.currentTarget.value)} />
        </label>
      </div>
      <Show
        when={confirmed()}
        fallback={
          <DialogButtons onCancel={() => props.onCancel()}>
            <button type="button" class="button is-quiet" onClick={() => withEntered(props.onPreview)}>
              {t("Preview")}
            </button>
            <button type="button" class="button is-quiet" title={t("The link that people have stops working.")} onClick={() => props.onNewLink()}>
              {t("New link")}
            </button>
            <Show when={form.url}>
              <button type="button" class="button is-quiet" onClick={() => setConfirmed("revoke")}>
                {t("Revoke link…")}
              </button>
            </Show>
            <button type="button" class="button is-quiet" onClick={() => setConfirmed("delete")}>
              {t("Delete…")}
            </button>
          </DialogButtons>
        }
      >
        {(what) => (
          <Confirmation
            text={what() === "revoke" ? t("The link that people have stops working.") : t("Responses stay in the table.")}
            action={what() === "revoke" ? t("Revoke link") : t("Delete")}
            onConfirm={() => void (what() === "revoke" ? props.onRevokeLink() : props.onDelete()).then(() => setConfirmed(undefined))}
            onCancel={() => setConfirmed(undefined)}
          />
        )}
      </Show>
    </form>
  );
}

/** Asks before something that cannot be undone, in the place of the buttons. */
function Confirmation(props: { readonly text: string; readonly action: string; readonly onConfirm: () => void; readonly onCancel: () => void }) {
  let cancel!: HTMLButtonElement;
  onMount(() => cancel.focus());
  return (
    <>
      <p class="forms-confirmation" role="alert">
        {props.text}
      </p>
      <div class="modal-buttons">
        <button ref={cancel} type="button" class="button" onClick={() => props.onCancel()}>
          {t("Cancel")}
        </button>
        <button type="button" class="button is-danger" onClick={() => props.onConfirm()}>
          {props.action}
        </button>
      </div>
    </>
  );
}

/** The local day of a moment as a field for dates has it. */
function dayOf(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
