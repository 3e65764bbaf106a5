/** The reactions to a comment: their counts, and the choice of another emoji. */

import { createSignal, For, Show } from "solid-js";
import { KeyedFor, Popover } from "../components/index.ts";
import { language, showNumber, t } from "../language/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { REACTION_CHOICES, type ReactionGroup, reactionGroups, singleEmoji } from "./reactions.ts";
import { authorFields, type Comment, ownAuthor } from "./threads.ts";

/** Names in the description of a reaction; others are counted. */
const NAMES_MAX = 20;

/** The reactions below the text of a comment. */
export function Reactions(props: { readonly model: WorkbookModel; readonly sheet: number; readonly comment: Comment }) {
  const { model } = props;
  const groups = () => reactionGroups(props.comment.reactions, ownAuthor(model));
  const toggle = (emoji: string): void => {
    const { sheet, comment } = props;
    const ownIds = groups().find((group) => group.emoji === emoji)?.ownIds ?? [];
    model.access.comment(
      ownIds.length > 0
        ? { type: "many", commands: ownIds.map((item) => ({ type: "removeItem", sheet, item })) }
        : {
            type: "setItem",
            sheet,
            item: newItemId(),
            kind: "reaction",
            fields: { parent: comment.id, text: emoji, ...authorFields(ownAuthor(model)), time: Date.now() },
          },
    );
  };
  const names = ({ people }: ReactionGroup): string => {
    const shown = people.slice(0, NAMES_MAX).map(({ author }) => author);
    return new Intl.ListFormat(language()).format(people.length > NAMES_MAX ? [...shown, `+${showNumber(people.length - NAMES_MAX)}`] : shown);
  };
  return (
    <Show when={groups().length > 0 || model.access.canComment()}>
      <p class="reactions" role="group" aria-label={t("Reactions")}>
        <KeyedFor each={groups()} by={({ emoji }) => emoji}>
          {(group) => (
            <button
              type="button"
              class="reaction"
              aria-pressed={group().ownIds.length > 0}
              aria-disabled={!model.access.canComment()}
              aria-label={`${group().emoji} ${showNumber(group().people.length)}: ${names(group())}`}
              title={names(group())}
              onClick={() => toggle(group().emoji)}
            >
              <span aria-hidden="true">{group().emoji}</span>
              <span aria-hidden="true">{showNumber(group().people.length)}</span>
            </button>
          )}
        </KeyedFor>
        <Show when={model.access.canComment()}>
          <Popover
            isForCommenters
            label={t("Add reaction")}
            hint={t("Add reaction")}
            buttonClass="reaction is-new"
            button={
              <svg class="icon" viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" aria-hidden="true">
                <path d="M16.500 9A7 7 0 1 1 11 3.100M7.500 8.500v.1M12 8.500v.1M7 12a3.700 3.700 0 0 0 6 0M15.500 2.500v5M13 5h5" />
              </svg>
            }
            class="reaction-choices"
            heading={t("Add reaction")}
            onClosed={() => undefined}
          >
            {(close) => (
              <Choices
                onChoose={(emoji) => {
                  close();
                  // A second click on an emoji that is already given would take it back.
                  if (!groups().some((group) => group.emoji === emoji && group.ownIds.length > 0)) {
                    toggle(emoji);
                  }
                }}
              />
            )}
          </Popover>
        </Show>
      </p>
    </Show>
  );
}

function Choices(props: { readonly onChoose: (emoji: string) => void }) {
  const [typed, setTyped] = createSignal("");
  const emoji = () => singleEmoji(typed());
  return (
    <>
      <div class="reaction-list">
        <For each={REACTION_CHOICES}>
          {(choice) => (
            <button type="button" class="tool" onClick={() => props.onChoose(choice)}>
              {choice}
            </button>
          )}
        </For>
      </div>
      <form
        class="reaction-other"
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = emoji();
          if (chosen !== undefined) {
            props.onChoose(chosen);
          }
        }}
      >
        <input
          class="field"
          aria-label={t("Other emoji")}
          placeholder={t("Other emoji")}
          aria-invalid={typed().trim() !== "" && emoji() === undefined}
          value={typed()}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={emoji() === undefined}>
          {t("Add")}
        </button>
      </form>
    </>
  );
}
