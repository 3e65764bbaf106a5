/** Talk about cells: threads that can be answered and resolved, and the note of the selected cell. */

import { type Cell, cellName, parseRange, rangeOf, sameRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { ago, moment, t } from "../language/index.ts";
import { Icon, KeyedFor, Panel } from "../components/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { type Comment, mentionsIn, type Thread, threadsOf } from "./threads.ts";
import "../style/comments.css";

/** The limit of the field (crates/workbook/src/items/schema.rs). */
const TEXT_MAX = 32_767;

export function CommentsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [items, setItems] = createSignal<ReadonlyMap<number, readonly ItemDetails[]>>(new Map());
  const [showsResolved, setShowsResolved] = createSignal(false);
  let asked = 0;
  createEffect(
    on([model.items.changes, model.sheets], async () => {
      asked += 1;
      const number = asked;
      const sheets = model.sheets();
      const replies = await Promise.all(sheets.map(({ id }) => model.session.query({ type: "items", sheet: id })));
      if (number === asked) {
        setItems(new Map(sheets.map(({ id }, index) => [id, replies[index] ?? []])));
      }
    }),
  );
  const threads = createMemo(() => [...items()].flatMap(([sheet, found]) => threadsOf(sheet, found)));
  const shown = () => threads().filter((thread) => showsResolved() || !thread.isResolved);
  const active = () => model.selection().active;
  const isHere = (thread: Thread) => thread.sheet === model.sheet() && sameRange(thread.cell, rangeOf(active()));
  const hasOpenThreadHere = () => shown().some((thread) => isHere(thread) && !thread.isResolved);
  const sheetName = (id: number) => model.sheets().find((sheet) => sheet.id === id)?.name ?? "";

  const start = (text: string): void => {
    const thread = newItemId();
    const sheet = model.sheetId();
    model.command({
      type: "many",
      commands: [
        {
          type: "setItem",
          sheet,
          item: thread,
          kind: "commentThread",
          anchors: [cellName(active())],
          fields: { author: model.identity().name, time: Date.now() },
        },
        commentCommand(model, sheet, thread, text),
      ],
    });
  };

  return (
    <Panel title={t("Comments")} onClose={() => model.closePanel()}>
      <Note model={model} />
      <Show when={model.canType() && !hasOpenThreadHere()}>
        <section class="panel-section">
          <h3>{t("Comment on {cell}", { cell: notation().cell(active()) })}</h3>
          <Writer model={model} label={t("New comment")} action={t("Comment")} onWrite={start} />
        </section>
      </Show>
      <ul class="threads">
        <KeyedFor
          each={shown()}
          by={({ id }) => id}
          fallback={
            <li class="panel-note">
              {model.canType()
                ? t("No comments yet. Select a cell and write the first; everyone here sees it at once.")
                : t("No comments yet.")}
            </li>
          }
        >
          {(thread) => (
            <ThreadCard
              model={model}
              thread={thread()}
              isHere={isHere(thread())}
              place={`${sheetName(thread().sheet)} · ${notation().cell({ row: thread().cell.top, column: thread().cell.left })}`}
            />
          )}
        </KeyedFor>
      </ul>
      <Show when={threads().some((thread) => thread.isResolved)}>
        <label class="check">
          <input
            type="checkbox"
            checked={showsResolved()}
            onChange={(event) => setShowsResolved(event.currentTarget.checked)}
          />
          {t("Show resolved")}
        </label>
      </Show>
    </Panel>
  );
}

function commentCommand(model: WorkbookModel, sheet: number, thread: number, text: string) {
  const names = model.people().map((person) => person.name);
  const mentions = mentionsIn(text, names);
  return {
    type: "setItem",
    sheet,
    item: newItemId(),
    kind: "comment",
    fields: {
      parent: thread,
      text,
      author: model.identity().name,
      time: Date.now(),
      ...(mentions.length > 0 ? { mentions } : {}),
    },
  } as const;
}

function ThreadCard(props: {
  readonly model: WorkbookModel;
  readonly thread: Thread;
  readonly isHere: boolean;
  readonly place: string;
}) {
  const { model } = props;
  const { sheet } = props.thread;
  const resolve = (resolved: boolean): void =>
    model.items.patch(
      props.thread.id,
      { resolved: resolved || null, resolvedBy: resolved ? model.identity().name : null },
      sheet,
    );
  const go = (): void => {
    model.openSheet(sheet);
    model.goTo(props.thread.cell);
  };
  const remove = (comment: Comment): void => {
    if (props.thread.comments.length === 1) {
      model.command({
        type: "many",
        commands: [
          { type: "removeItem", sheet, item: comment.id },
          { type: "removeItem", sheet, item: props.thread.id },
        ],
      });
    } else {
      model.items.remove(comment.id, sheet);
    }
  };
  return (
    <li class="thread" classList={{ "is-here": props.isHere, "is-resolved": props.thread.isResolved }}>
      <div class="thread-head">
        <button type="button" class="thread-place" onClick={go}>
          {props.place}
        </button>
        <Show when={model.canType()}>
          <button type="button" class="button is-quiet" onClick={() => resolve(!props.thread.isResolved)}>
            {props.thread.isResolved ? t("Open again") : t("Resolve")}
          </button>
        </Show>
      </div>
      <For each={props.thread.comments}>
        {(comment) => (
          <article class="comment" aria-label={t("Comment by {name}", { name: comment.author })}>
            <p class="comment-head">
              <strong>{comment.author}</strong>
              <time title={moment(comment.timeMs)} dateTime={new Date(comment.timeMs).toISOString()}>
                {ago(comment.timeMs)}
              </time>
              <Show when={model.canType() && comment.author === model.identity().name}>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Delete comment")}
                  title={t("Delete comment")}
                  onClick={() => remove(comment)}
                >
                  <Icon name="trash" />
                </button>
              </Show>
            </p>
            <p class="comment-text" dir="auto">
              {comment.text}
            </p>
          </article>
        )}
      </For>
      <Show when={props.thread.isResolved && props.thread.resolvedBy}>
        <p class="panel-note">{t("Resolved by {name}", { name: props.thread.resolvedBy })}</p>
      </Show>
      <Show when={model.canType() && !props.thread.isResolved}>
        <Writer
          model={model}
          label={t("Reply")}
          action={t("Reply")}
          isQuiet
          onWrite={(text) => model.command(commentCommand(model, sheet, props.thread.id, text))}
        />
      </Show>
    </li>
  );
}

/** A field that grows into a text with a button; Ctrl+Enter sends it. */
function Writer(props: {
  readonly model: WorkbookModel;
  readonly label: string;
  readonly action: string;
  readonly isQuiet?: boolean;
  readonly onWrite: (text: string) => void;
}) {
  const [text, setText] = createSignal("");
  const names = () => props.model.people().map((person) => person.name);
  /** What follows an `@` at the end may become a name. */
  const wanted = () => /@([^@\n]{0,40})$/.exec(text())?.[1]?.toLowerCase();
  const offered = () => {
    const start = wanted();
    return start === undefined ? [] : names().filter((name) => name.toLowerCase().startsWith(start) && name.toLowerCase() !== start);
  };
  let field!: HTMLTextAreaElement;
  const write = (): void => {
    if (text().trim() !== "") {
      props.onWrite(text().trim());
      setText("");
    }
  };
  return (
    <form
      class="writer"
      onSubmit={(event) => {
        event.preventDefault();
        write();
      }}
    >
      <textarea
        ref={field}
        class="field"
        dir="auto"
        rows={text() === "" && props.isQuiet ? 1 : 3}
        maxLength={TEXT_MAX}
        aria-label={props.label}
        placeholder={t("Comment, or @ to mention someone")}
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            write();
          }
        }}
      />
      <Show when={offered().length > 0}>
        <ul class="writer-names" aria-label={t("People here")}>
          <For each={offered().slice(0, 5)}>
            {(name) => (
              <li>
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    setText(text().replace(/@[^@\n]*$/, `@${name} `));
                    field.focus();
                  }}
                >
                  <bdi>@{name}</bdi>
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={text().trim() !== ""}>
        <button type="submit" class="button is-main">
          {props.action}
        </button>
      </Show>
    </form>
  );
}

/** A text that belongs to the active cell and that nobody answers. */
function Note(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const cell = () => model.selection().active;
  const noteOf = (wanted: Cell) =>
    model.items.ofKind("note").find((item) => {
      const range = parseRange(item.anchors[0] ?? "");
      return range && range.top === wanted.row && range.left === wanted.column;
    });
  const text = () => String(noteOf(cell())?.fields["text"] ?? "");
  let field!: HTMLTextAreaElement;
  /** What is being written belongs to the cell it was begun at, even when the next one is pressed already. */
  let begun: { readonly sheet: number; readonly cell: Cell; readonly note: number | undefined } | undefined;
  // What others write shows unless it is being written here.
  createEffect(() => {
    const now = text();
    if (document.activeElement !== field) {
      field.value = now;
    }
  });
  const begin = (): void => {
    begun = { sheet: model.sheetId(), cell: cell(), note: noteOf(cell())?.id };
  };
  const save = (): void => {
    const written = field.value.trim();
    if (!begun) {
      return;
    }
    const { sheet, note } = begun;
    if (note !== undefined && written === "") {
      model.items.remove(note, sheet);
    } else if (note !== undefined) {
      model.items.patch(note, { text: written }, sheet);
    } else if (written !== "") {
      model.command({
        type: "setItem",
        sheet,
        kind: "note",
        anchors: [cellName(begun.cell)],
        fields: { text: written, author: model.identity().name, time: Date.now() },
      });
    }
  };
  return (
    <section class="panel-section note">
      <h3>{t("Note of {cell}", { cell: notation().cell(cell()) })}</h3>
      <textarea
        ref={field}
        class="field"
        dir="auto"
        rows={2}
        maxLength={TEXT_MAX}
        readOnly={!model.canType()}
        aria-label={t("Note of {cell}", { cell: notation().cell(cell()) })}
        placeholder={model.canType() ? t("Add a note") : t("No note")}
        onFocus={begin}
        onChange={save}
        onBlur={() => {
          begun = undefined;
          field.value = text();
        }}
      />
    </section>
  );
}
