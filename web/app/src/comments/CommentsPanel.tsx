/** The comments panel: threads with replies, and the note of the selected cell. */

import { type Cell, cellName, parseRange, rangeOf, sameRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createSignal, For, on, Show } from "solid-js";
import { ago, moment, t } from "../language/index.ts";
import { Icon, KeyedFor, Panel } from "../components/index.ts";
import { isChartSheet } from "../sheets/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { Reactions } from "./Reactions.tsx";
import { authorFields, type Comment, mentionableNames, mentionsIn, ownAuthor, type Thread, threadsOf } from "./threads.ts";
import "../style/comments.css";

/** Length limit of the field (`crates/workbook/src/items/schema.rs`). */
const TEXT_MAX = 32_767;
/** Mentioned people to whom a form offers to assign the thread. */
const ASSIGNEES_MAX = 5;

/** Which threads the panel lists. */
type ThreadFilter = "all" | "mine" | "openTasks" | "doneTasks";

/** A comment that is written, and the person whose task its thread becomes. */
interface Written {
  readonly text: string;
  readonly assignee: string | undefined;
}

/**
 * Leads to the field for a comment or a reply in the selected cell: from the title of the panel, which has the focus
 * when it opens, and from the field for a new comment that is gone when the comment is written. A touch would open
 * the keyboard of the screen over the threads.
 */
function focusField(panel: HTMLElement | null): void {
  const focused = document.activeElement;
  if ((focused instanceof HTMLHeadingElement || focused === document.body) && matchMedia("(pointer: fine)").matches) {
    const field = panel?.querySelector(".panel-section .comment-form textarea") ?? panel?.querySelector(".thread.is-here .comment-form textarea");
    (field as HTMLTextAreaElement | null | undefined)?.focus();
  }
}

/** The panel with the comments of the workbook. */
export function CommentsPanel(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [items, setItems] = createSignal<ReadonlyMap<number, readonly ItemDetails[]>>(new Map());
  const [showsResolved, setShowsResolved] = createSignal(false);
  const [filter, setFilter] = createSignal<ThreadFilter>("all");
  let requestCount = 0;
  /** Whether the threads are waited for, to go on with the keyboard. */
  let isWaiting = true;
  let list!: HTMLUListElement;
  createEffect(
    on([model.items.changes, model.sheets], async () => {
      requestCount += 1;
      const request = requestCount;
      const sheets = model.sheets();
      const replies = await Promise.all(sheets.map(({ id }) => model.session.query({ type: "items", sheet: id })));
      if (request === requestCount) {
        setItems(new Map(sheets.map(({ id }, index) => [id, replies[index] ?? []])));
        if (isWaiting) {
          isWaiting = false;
          focusField(list.closest(".panel"));
        }
      }
    }),
  );
  const threads = createMemo(() => [...items()].flatMap(([sheet, sheetItems]) => threadsOf(sheet, sheetItems)));
  const hasTasks = () => threads().some(({ assignee }) => assignee !== "");
  const names = createMemo(() => mentionableNames(model.people().map(({ name }) => name).concat(model.identity().name), threads()));
  const isListed = (thread: Thread): boolean => {
    switch (hasTasks() ? filter() : "all") {
      case "all":
        return showsResolved() || !thread.isResolved;
      case "mine":
        return thread.assignee === model.identity().name && (showsResolved() || !thread.isResolved);
      case "openTasks":
        return thread.assignee !== "" && !thread.isResolved;
      case "doneTasks":
        return thread.assignee !== "" && thread.isResolved;
    }
  };
  const visibleThreads = () => threads().filter(isListed);
  const active = () => model.selection().active;
  const isHere = (thread: Thread) => thread.sheet === model.sheet() && sameRange(thread.cell, rangeOf(active()));
  const hasOpenThreadHere = () => visibleThreads().some((thread) => isHere(thread) && !thread.isResolved);
  const sheetName = (id: number) => model.sheets().find((sheet) => sheet.id === id)?.name ?? "";

  const start = (written: Written): void => {
    const thread = newItemId();
    const sheet = model.sheetId();
    const time = Date.now();
    isWaiting = true;
    model.access.comment({
      type: "many",
      commands: [
        {
          type: "setItem",
          sheet,
          item: thread,
          kind: "commentThread",
          anchors: [cellName(active())],
          fields: { ...authorFields(ownAuthor(model)), time, ...assignment(model, written, time) },
        },
        commentCommand(model, sheet, thread, written.text, names(), time),
      ],
    });
  };

  return (
    <Panel title={t("Comments")} onClose={() => model.closePanel()}>
      <Show when={!isChartSheet(model)}>
        <Note model={model} />
      </Show>
      <Show when={model.access.canComment() && !isChartSheet(model) && !hasOpenThreadHere()}>
        <section class="panel-section">
          <h3>{t("Comment on {cell}", { cell: notation().cell(active()) })}</h3>
          <CommentForm names={names()} label={t("New comment")} action={t("Comment")} onWrite={start} />
        </section>
      </Show>
      <Show when={hasTasks()}>
        <label class="field-label thread-filter">
          {t("Show|comments")}
          <select class="field" value={filter()} onChange={(event) => setFilter(FILTERS.find((one) => one === event.currentTarget.value) ?? "all")}>
            <option value="all">{t("All comments")}</option>
            <option value="mine">{t("Assigned to me")}</option>
            <option value="openTasks">{t("Open tasks")}</option>
            <option value="doneTasks">{t("Tasks that are done")}</option>
          </select>
        </label>
      </Show>
      <ul class="threads" ref={list}>
        <KeyedFor
          each={visibleThreads()}
          by={({ id }) => id}
          fallback={
            <li class="panel-note">
              {threads().length > 0
                ? t("No comments of this kind.")
                : model.access.canComment()
                  ? t("No comments yet. Select a cell and write the first one. Everyone here sees it at once.")
                  : t("No comments yet.")}
            </li>
          }
        >
          {(thread) => (
            <ThreadCard
              model={model}
              thread={thread()}
              names={names()}
              isHere={isHere(thread())}
              cell={`${sheetName(thread().sheet)} · ${notation().cell({ row: thread().cell.top, column: thread().cell.left })}`}
            />
          )}
        </KeyedFor>
      </ul>
      <Show when={threads().some((thread) => thread.isResolved) && filter() !== "openTasks" && filter() !== "doneTasks"}>
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

const FILTERS: readonly ThreadFilter[] = ["all", "mine", "openTasks", "doneTasks"];

/** The fields of a thread that becomes a task; none without an assignee. */
function assignment(model: WorkbookModel, { assignee }: Written, time: number): Record<string, string | number> {
  return assignee === undefined ? {} : { assignee, assignedBy: model.identity().name, edited: time };
}

function commentCommand(model: WorkbookModel, sheet: number, thread: number, text: string, names: readonly string[], time: number) {
  const mentions = mentionsIn(text, names);
  return {
    type: "setItem",
    sheet,
    item: newItemId(),
    kind: "comment",
    fields: {
      parent: thread,
      text,
      ...authorFields(ownAuthor(model)),
      time,
      ...(mentions.length > 0 ? { mentions } : {}),
    },
  } as const;
}

function ThreadCard(props: {
  readonly model: WorkbookModel;
  readonly thread: Thread;
  readonly names: readonly string[];
  readonly isHere: boolean;
  readonly cell: string;
}) {
  const { model } = props;
  const { sheet } = props.thread;
  const resolve = (resolved: boolean): void =>
    model.access.comment({
      type: "setItem",
      sheet,
      item: props.thread.id,
      fields: { resolved: resolved || null, resolvedBy: resolved ? model.identity().name : null, edited: Date.now() },
    });
  const isTask = () => props.thread.assignee !== "";
  const unassign = (): void =>
    model.access.comment({ type: "setItem", sheet, item: props.thread.id, fields: { assignee: null, assignedBy: null, edited: Date.now() } });
  const reply = (written: Written): void => {
    const time = Date.now();
    const comment = commentCommand(model, sheet, props.thread.id, written.text, props.names, time);
    if (written.assignee === undefined) {
      model.access.comment(comment);
    } else {
      const task = { type: "setItem", sheet, item: props.thread.id, fields: assignment(model, written, time) } as const;
      model.access.comment({ type: "many", commands: [comment, task] });
    }
  };
  const go = (): void => {
    model.openSheet(sheet);
    model.goTo(props.thread.cell);
  };
  const remove = (comment: Comment): void => {
    if (props.thread.comments.length === 1) {
      model.access.comment({
        type: "many",
        commands: [
          { type: "removeItem", sheet, item: comment.id },
          { type: "removeItem", sheet, item: props.thread.id },
        ],
      });
    } else {
      model.access.comment({ type: "removeItem", sheet, item: comment.id });
    }
  };
  return (
    <li class="thread" classList={{ "is-here": props.isHere, "is-resolved": props.thread.isResolved }}>
      <div class="thread-header">
        <button type="button" class="thread-cell" onClick={go}>
          {props.cell}
        </button>
        <Show when={model.access.canComment()}>
          <button type="button" class="button is-quiet" onClick={() => resolve(!props.thread.isResolved)}>
            {props.thread.isResolved ? t("Reopen") : isTask() ? t("Mark as done") : t("Resolve")}
          </button>
        </Show>
      </div>
      <Show when={isTask()}>
        <p class="thread-task">
          <Icon name={props.thread.isResolved ? "check" : "people"} />
          <span dir="auto">{t("Assigned to {name}", { name: props.thread.assignee })}</span>
          <Show when={model.access.canComment() && !props.thread.isResolved}>
            <button type="button" class="tool is-small" aria-label={t("Remove assignment")} title={t("Remove assignment")} onClick={unassign}>
              <Icon name="close" />
            </button>
          </Show>
        </p>
      </Show>
      <KeyedFor each={props.thread.comments} by={({ id }) => id}>
        {(comment) => (
          <article class="comment" aria-label={t("Comment by {name}", { name: comment().author })}>
            <p class="comment-header">
              <strong>{comment().author}</strong>
              <time title={moment(comment().timeMs)} dateTime={new Date(comment().timeMs).toISOString()}>
                {ago(comment().timeMs)}
              </time>
              <Show when={model.access.canComment() && comment().author === model.identity().name}>
                <button
                  type="button"
                  class="tool is-small"
                  aria-label={t("Delete comment")}
                  title={t("Delete comment")}
                  onClick={() => remove(comment())}
                >
                  <Icon name="trash" />
                </button>
              </Show>
            </p>
            <p class="comment-text" dir="auto">
              {comment().text}
            </p>
            <Reactions model={model} sheet={sheet} comment={comment()} />
          </article>
        )}
      </KeyedFor>
      <Show when={props.thread.isResolved && props.thread.resolvedBy}>
        <p class="panel-note">
          {isTask() ? t("Done by {name}", { name: props.thread.resolvedBy }) : t("Resolved by {name}", { name: props.thread.resolvedBy })}
        </p>
      </Show>
      <Show when={model.access.canComment() && !props.thread.isResolved}>
        <CommentForm
          names={props.names}
          label={t("Reply")}
          action={t("Reply")}
          isQuiet
          onWrite={reply}
        />
      </Show>
    </li>
  );
}

/** A field for a comment or reply; Ctrl+Enter submits it. */
function CommentForm(props: {
  /** Whom the comment can mention. */
  readonly names: readonly string[];
  readonly label: string;
  readonly action: string;
  readonly isQuiet?: boolean;
  readonly onWrite: (written: Written) => void;
}) {
  const [text, setText] = createSignal("");
  const [assignee, setAssignee] = createSignal<string>();
  const mentioned = () => mentionsIn(text(), props.names);
  /** The start of a name after an `@` at the end of the text. */
  const mentionPrefix = () => /@([^@\n]{0,40})$/.exec(text())?.[1]?.toLowerCase();
  const suggestions = () => {
    const start = mentionPrefix();
    return start === undefined ? [] : props.names.filter((name) => name.toLowerCase().startsWith(start) && name.toLowerCase() !== start);
  };
  let field!: HTMLTextAreaElement;
  const submit = (): void => {
    if (text().trim() !== "") {
      const name = assignee();
      props.onWrite({ text: text().trim(), assignee: name !== undefined && mentioned().includes(name) ? name : undefined });
      setText("");
      setAssignee(undefined);
    }
  };
  return (
    <form
      class="comment-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
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
            submit();
          }
        }}
      />
      <Show when={suggestions().length > 0}>
        <ul class="mention-list" aria-label={t("People here")}>
          <For each={suggestions().slice(0, 5)}>
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
      <For each={mentioned().slice(0, ASSIGNEES_MAX)}>
        {(name) => (
          <label class="check">
            <input type="checkbox" checked={assignee() === name} onChange={(event) => setAssignee(event.currentTarget.checked ? name : undefined)} />
            <span dir="auto">{t("Assign to {name}", { name })}</span>
          </label>
        )}
      </For>
      <Show when={text().trim() !== ""}>
        <button type="submit" class="button is-main">
          {props.action}
        </button>
      </Show>
    </form>
  );
}

/** The field for the note of the active cell. */
function Note(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const cell = () => model.selection().active;
  const noteOf = (position: Cell) =>
    model.items.ofKind("note").find((item) => {
      const range = parseRange(item.anchors[0] ?? "");
      return range && range.top === position.row && range.left === position.column;
    });
  const text = () => String(noteOf(cell())?.fields["text"] ?? "");
  let field!: HTMLTextAreaElement;
  /** The cell at which editing began; the note is saved there even if the selection has moved. */
  let editedNote: { readonly sheet: number; readonly cell: Cell; readonly note: number | undefined } | undefined;
  // Changes by others update the field unless it has the focus.
  createEffect(() => {
    const current = text();
    if (document.activeElement !== field) {
      field.value = current;
    }
  });
  const startEditing = (): void => {
    editedNote = { sheet: model.sheetId(), cell: cell(), note: noteOf(cell())?.id };
  };
  const save = (): void => {
    const edited = field.value.trim();
    if (!editedNote) {
      return;
    }
    const { sheet, note } = editedNote;
    if (note !== undefined && edited === "") {
      model.items.remove(note, sheet);
    } else if (note !== undefined) {
      model.items.patch(note, { text: edited }, sheet);
    } else if (edited !== "") {
      model.command({
        type: "setItem",
        sheet,
        kind: "note",
        anchors: [cellName(editedNote.cell)],
        fields: { text: edited, author: model.identity().name, time: Date.now() },
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
        placeholder={model.canType() ? t("Add note") : t("No note")}
        onFocus={startEditing}
        onChange={save}
        onBlur={() => {
          editedNote = undefined;
          field.value = text();
        }}
      />
    </section>
  );
}
