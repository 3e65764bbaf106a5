/** One suggestion: author, time, the present and the proposed content, note, and the answer. */

import { Show } from "solid-js";
import { Icon } from "../components/index.ts";
import { ago, moment, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { accept, canReject, reject } from "./answer.ts";
import type { Suggestion } from "./suggestions.ts";

/** The card of a suggestion, in the panel and beside its cell. */
export function SuggestionCard(props: {
  readonly model: WorkbookModel;
  readonly suggestion: Suggestion;
  /** The content of the cell now. */
  readonly present: string;
}) {
  const author = () => (props.suggestion.author === "" ? t("Unknown") : props.suggestion.author);
  return (
    <article class="suggestion" aria-label={t("Suggestion by {name}", { name: author() })}>
      <p class="comment-header">
        <strong dir="auto">{author()}</strong>
        <time title={moment(props.suggestion.timeMs)} dateTime={new Date(props.suggestion.timeMs).toISOString()}>
          {ago(props.suggestion.timeMs)}
        </time>
      </p>
      <p class="suggestion-change">
        <span class="visually-hidden">{t("Now:")} </span>
        <Show when={props.present !== ""} fallback={<span class="suggestion-empty">{t("Empty")}</span>}>
          <del dir="auto">{props.present}</del>
        </Show>
        <span class="suggestion-arrow" aria-hidden="true" />
        <span class="visually-hidden">{t("Suggested:")} </span>
        <Show when={props.suggestion.proposed !== ""} fallback={<span class="suggestion-empty">{t("Empty")}</span>}>
          <ins dir="auto">{props.suggestion.proposed}</ins>
        </Show>
      </p>
      <Show when={props.suggestion.note !== ""}>
        <p class="comment-text" dir="auto">
          {props.suggestion.note}
        </p>
      </Show>
      <p class="suggestion-answer">
        <Show when={props.model.status().canEdit}>
          <button type="button" class="button" onClick={() => void accept(props.model, [props.suggestion])}>
            <Icon name="check" />
            {t("Accept")}
          </button>
        </Show>
        <Show when={canReject(props.model, props.suggestion)}>
          <button type="button" class="button" onClick={() => reject(props.model, [props.suggestion])}>
            <Icon name="close" />
            {props.model.status().canEdit ? t("Reject") : t("Withdraw")}
          </button>
        </Show>
      </p>
    </article>
  );
}
