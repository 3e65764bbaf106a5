/** A column in the settings of a form. */

import { For, Show } from "solid-js";
import { type Message, showNumber, t } from "../language/index.ts";
import type { FileKind, FormDetails, FormQuestion, QuestionKind } from "./forms-api.ts";

/** A column as it is edited. */
export interface EditedQuestion {
  readonly column: string;
  readonly isShown: boolean;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  /** Empty: by the data validation and the number format. */
  readonly kind: QuestionKind | "";
  /** One option a line. */
  readonly choices: string;
  readonly fileKinds: readonly FileKind[];
  readonly fileBytesMax: number | null;
}

const KINDS: readonly (readonly [kind: QuestionKind, name: Message])[] = [
  ["shortText", "Short answer"],
  ["paragraph", "Paragraph"],
  ["number", "Number"],
  ["date", "Date"],
  ["time", "Time"],
  ["dateTime", "Date and time"],
  ["email", "Email address"],
  ["url", "Web address"],
  ["checkbox", "Checkbox"],
  ["choice", "Multiple choice"],
  ["dropdown", "Dropdown"],
  ["multipleChoice", "Checkboxes"],
  ["rating", "Rating"],
  ["file", "File"],
];

/** In the order of the server. */
const FILE_KINDS: readonly (readonly [kind: FileKind, name: Message])[] = [
  ["pdf", "PDF"],
  ["image", "Image"],
  ["document", "Document"],
  ["spreadsheet", "Spreadsheet"],
  ["presentation", "Presentation"],
  ["text", "Text"],
  ["audio", "Audio"],
  ["video", "Video"],
  ["archive", "Archive"],
];

const MEGABYTE = 1_048_576;
/** Sizes to choose from, in megabytes. The last one is the limit of the server. */
const FILE_SIZES = [1, 2, 5, 10];

/** All columns that can be asked for: first those that are shown, in their order. */
export function editedQuestions(form: FormDetails): readonly EditedQuestion[] {
  const shown = form.questions.flatMap(({ column, choices, kind, ...texts }) =>
    column === null ? [] : [{ ...texts, column, kind: kind ?? ("" as const), choices: choices.join("\n"), isShown: true }],
  );
  const isShown = new Set(shown.map(({ column }) => column));
  const hidden = form.columns.filter(({ header, isCalculated }) => !isCalculated && !isShown.has(header));
  return [...shown, ...hidden.map(({ header }) => ({ column: header, isShown: false, label: "", help: "", isRequired: false, kind: "" as const, choices: "", fileKinds: [], fileBytesMax: null }))];
}

/** The questions as the server takes them. */
export function givenQuestions(edited: readonly EditedQuestion[]): readonly FormQuestion[] {
  return edited.map(({ column, label, help, isRequired, kind, choices, fileKinds, fileBytesMax }) => ({
    column,
    label: label.trim(),
    help: help.trim(),
    isRequired,
    kind: kind === "" ? null : kind,
    choices: choices.split("\n").map((choice) => choice.trim()).filter((choice) => choice !== ""),
    fileKinds: kind === "file" ? fileKinds : [],
    fileBytesMax: kind === "file" ? fileBytesMax : null,
  }));
}

/** A column with what is asked for it. */
export function QuestionEditor(props: {
  readonly question: () => EditedQuestion;
  readonly isTimestamp: () => boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onChange: (changed: Partial<EditedQuestion>) => void;
  readonly onMove: (by: -1 | 1) => void;
}) {
  const question = () => props.question();
  const name = () => ({ name: question().column });
  const hasChoices = () => ["choice", "dropdown", "multipleChoice"].includes(question().kind);
  return (
    <li class="forms-question">
      <div class="forms-question-head">
        <label class="check">
          <input type="checkbox" disabled={props.isTimestamp()} checked={question().isShown && !props.isTimestamp()} onChange={(event) => props.onChange({ isShown: event.currentTarget.checked })} />
          <span dir="auto">{question().column}</span>
        </label>
        <button type="button" class="button is-quiet" disabled={props.isFirst} aria-label={t("Move {name} up", name())} onClick={() => props.onMove(-1)}>
          <span aria-hidden="true">↑</span>
        </button>
        <button type="button" class="button is-quiet" disabled={props.isLast} aria-label={t("Move {name} down", name())} onClick={() => props.onMove(1)}>
          <span aria-hidden="true">↓</span>
        </button>
      </div>
      <Show when={question().isShown && !props.isTimestamp()}>
        <div class="form-pair">
          <label class="form-label">
            {t("Question")}
            <input class="field" dir="auto" maxLength={2000} placeholder={question().column} value={question().label} onInput={(event) => props.onChange({ label: event.currentTarget.value })} />
          </label>
          <label class="form-label">
            {t("Type")}
            <select class="field" value={question().kind} onChange={(event) => props.onChange({ kind: KINDS.find(([kind]) => kind === event.currentTarget.value)?.[0] ?? "" })}>
              <option value="">{t("Automatic")}</option>
              <For each={KINDS}>{([kind, text]) => <option value={kind}>{t(text)}</option>}</For>
            </select>
          </label>
        </div>
        <label class="form-label">
          {t("Help text")}
          <input class="field" dir="auto" maxLength={2000} value={question().help} onInput={(event) => props.onChange({ help: event.currentTarget.value })} />
        </label>
        <Show when={hasChoices()}>
          <label class="form-label">
            {t("Options, one per line")}
            <textarea class="field is-tall" dir="auto" rows={3} value={question().choices} onInput={(event) => props.onChange({ choices: event.currentTarget.value })} />
          </label>
        </Show>
        <Show when={question().kind === "file"}>
          <FileSettings question={question()} onChange={props.onChange} />
        </Show>
        <label class="check">
          <input type="checkbox" checked={question().isRequired} onChange={(event) => props.onChange({ isRequired: event.currentTarget.checked })} />
          {t("Required")}
        </label>
      </Show>
    </li>
  );
}

/** Which files a question accepts. */
function FileSettings(props: { readonly question: EditedQuestion; readonly onChange: (changed: Partial<EditedQuestion>) => void }) {
  const isAccepted = (kind: FileKind): boolean => props.question.fileKinds.length === 0 || props.question.fileKinds.includes(kind);
  const accept = (kind: FileKind, isChecked: boolean): void => {
    const kinds = FILE_KINDS.map(([known]) => known).filter((known) => (known === kind ? isChecked : isAccepted(known)));
    // All of them are stored as none: kinds of a later version are accepted then, too.
    props.onChange({ fileKinds: kinds.length === FILE_KINDS.length ? [] : kinds });
  };
  const sizes = (): readonly number[] => [...new Set([...FILE_SIZES.map((size) => size * MEGABYTE), props.question.fileBytesMax ?? 0])].filter((size) => size > 0).sort((a, b) => a - b);
  const largest = Math.max(...FILE_SIZES) * MEGABYTE;
  return (
    <>
      <fieldset class="forms-file-kinds">
        <legend>{t("Accepted files")}</legend>
        <For each={FILE_KINDS}>
          {([kind, name]) => (
            <label class="check">
              <input
                type="checkbox"
                checked={isAccepted(kind)}
                // One kind has to stay.
                disabled={isAccepted(kind) && props.question.fileKinds.length === 1}
                onChange={(event) => accept(kind, event.currentTarget.checked)}
              />
              {t(name)}
            </label>
          )}
        </For>
      </fieldset>
      <label class="form-label">
        {t("Maximum file size")}
        <select class="field" value={String(props.question.fileBytesMax ?? largest)} onChange={(event) => props.onChange({ fileBytesMax: Number(event.currentTarget.value) })}>
          <For each={sizes()}>{(size) => <option value={String(size)}>{t("{size} MB", { size: showNumber(Math.round((size / MEGABYTE) * 10) / 10) })}</option>}</For>
        </select>
      </label>
    </>
  );
}
