/** The suggestions panel: all open suggestions of the workbook, and the answers to them. */

import "../style/suggestions.css";
import "../style/comments.css";
import { rangeOf, sameRange } from "@quadrille/grid";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { Icon, KeyedFor, Panel } from "../components/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { accept, canReject, reject } from "./answer.ts";
import { SuggestionCard } from "./SuggestionCard.tsx";
import { type Suggestion, suggestionsOf } from "./suggestions.ts";

/** Cards that the panel shows; more are counted, and move up when these are answered. */
const SHOWN_MAX = 200;

/** A suggestion with the content of its cell now. */
interface Listed {
  readonly suggestion: Suggestion;
  readonly present: string;
}

/** The panel with the suggestions of the workbook. */
export function SuggestionsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [all, setAll] = createSignal<readonly Suggestion[]>([]);
  const [present, setPresent] = createSignal<ReadonlyMap<number, string>>(new Map());
  const [author, setAuthor] = createSignal("");
  let requestCount = 0;
  createEffect(
    on([model.items.changes, model.sheets, model.cellChanges], async () => {
      requestCount += 1;
      const request = requestCount;
      const sheets = model.sheets();
      const replies = await Promise.all(sheets.map(({ id }) => model.session.query({ type: "items", sheet: id })));
      const found = sheets.flatMap(({ id }, index) => suggestionsOf(id, replies[index] ?? []));
      const texts = await Promise.all(
        found.slice(0, SHOWN_MAX).map(async ({ id, sheet, cell }) => [id, (await model.session.query({ type: "cell", sheet, cell })).editText] as const),
      );
      if (request === requestCount) {
        setPresent(new Map(texts));
        setAll(found);
      }
    }),
  );
  const authors = createMemo(() => [...new Set(all().map((one) => one.author))].sort());
  const ofAuthor = () => (authors().includes(author()) && author() !== "" ? all().filter((one) => one.author === author()) : all());
  const listed = createMemo((): readonly Listed[] =>
    ofAuthor()
      .slice(0, SHOWN_MAX)
      .map((suggestion) => ({ suggestion, present: present().get(suggestion.id) ?? "" })),
  );
  const sheetName = (id: number) => model.sheets().find((sheet) => sheet.id === id)?.name ?? "";
  const isHere = ({ sheet, cell }: Suggestion) => sheet === model.sheet() && sameRange(rangeOf(cell), rangeOf(model.selection().active));
  const go = ({ sheet, cell }: Suggestion): void => {
    model.openSheet(sheet);
    model.goTo(rangeOf(cell));
  };
  const own = () => ofAuthor().filter((one) => canReject(model, one));
  return (
    <Panel title={t("Suggestions|of edits")} onClose={() => model.closePanel()}>
      <Show when={authors().length > 1}>
        <label class="field-label">
          {t("Suggestions of")}
          <select class="field" value={author()} onChange={(event) => setAuthor(event.currentTarget.value)}>
            <option value="">{t("Everybody")}</option>
            <For each={authors().filter((name) => name !== "")}>{(name) => <option value={name}>{name}</option>}</For>
          </select>
        </label>
      </Show>
      <Show when={ofAuthor().length > 1}>
        <p class="suggestion-answer">
          <Show when={model.status().canEdit}>
            <button type="button" class="button" onClick={() => void accept(model, ofAuthor())}>
              <Icon name="check" />
              {t("Accept all")}
            </button>
          </Show>
          <Show when={own().length > 1}>
            <button type="button" class="button" onClick={() => reject(model, own())}>
              <Icon name="close" />
              {model.status().canEdit ? t("Reject all") : t("Withdraw all")}
            </button>
          </Show>
        </p>
      </Show>
      <ul class="threads" aria-live="polite" aria-relevant="additions">
        <KeyedFor
          each={listed()}
          by={({ suggestion }) => suggestion.id}
          fallback={<li class="panel-note">{t("No suggestions. With View → Suggest edits, what you enter becomes a suggestion.")}</li>}
        >
          {(one) => (
            <li class="thread" classList={{ "is-here": isHere(one().suggestion) }}>
              <button type="button" class="thread-cell" onClick={() => go(one().suggestion)}>
                {`${sheetName(one().suggestion.sheet)} · ${notation().cell(one().suggestion.cell)}`}
              </button>
              <SuggestionCard model={model} suggestion={one().suggestion} present={one().present} />
            </li>
          )}
        </KeyedFor>
      </ul>
      <Show when={ofAuthor().length > SHOWN_MAX}>
        <p class="panel-note">{t("{count} more suggestions", { count: ofAuthor().length - SHOWN_MAX })}</p>
      </Show>
    </Panel>
  );
}
