/** The lists of the start page: recent workbooks, one's own, shared ones and the trash. */

import { createResource, createSignal, createUniqueId, For, onCleanup, Show } from "solid-js";
import { forgetCredentials, roleName } from "../access/index.ts";
import { Icon } from "../components/index.ts";
import { ago, type Message, t } from "../language/index.ts";
import { forgetRoom, roomPath, roomTitle } from "../rooms/index.ts";
import { accountPage, daysLeft, type ListedWorkbook, type ListName, lookUp, rowsOf, type WorkbookRow } from "./workbook-rows.ts";

const TABS: readonly (readonly [list: ListName, name: Message])[] = [
  ["recent", "Recent"],
  ["mine", "My workbooks"],
  ["shared", "Shared with me"],
  ["trash", "Trash"],
];

const EMPTY: Readonly<Record<ListName, Message>> = {
  recent: "Workbooks that you open will be listed here.",
  mine: "Workbooks that you create will be listed here.",
  shared: "Workbooks that others share with you by a link or by name will be listed here.",
  trash: "Nothing is in the trash.",
};

/** Pause in typing after which the server is asked. */
const SEARCH_MS = 250;

/** The lists with their tabs and the search. */
export function WorkbookLists(props: { readonly onOpen: (room: string) => void }) {
  const [list, setList] = createSignal<ListName>("recent");
  const [search, setSearch] = createSignal("");
  const [settledSearch, setSettledSearch] = createSignal("");
  // With initial values, the lists are displayed before the server answers.
  const [looked, { refetch: lookAgain }] = createResource(lookUp, { initialValue: undefined });
  const [failure, setFailure] = createSignal<string>();
  /** Counts removals from the list of visits, which is not a signal. */
  const [removals, setRemovals] = createSignal(0);
  const account = createAccountList(list, settledSearch);
  let timer = 0;
  onCleanup(() => window.clearTimeout(timer));
  const panelId = createUniqueId();
  const rows = (): readonly WorkbookRow[] => {
    removals();
    return rowsOf(list(), looked.latest, account.workbooks(), search());
  };
  const isLoading = () => list() !== "recent" && (looked.loading || account.isLoading()) && rows().length === 0;
  const act = async (work: (api: typeof import("../access/access-api.ts")) => Promise<void>): Promise<void> => {
    setFailure(undefined);
    try {
      await work(await import("../access/access-api.ts"));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    account.reload();
    await lookAgain();
  };
  return (
    <section class="start-recent" aria-label={t("Workbooks")}>
      <div class="start-tabs" role="tablist" aria-label={t("Workbooks")} onKeyDown={(event) => moveTab(event, list(), setList)}>
        <For each={TABS}>
          {([name, label]) => (
            <button
              type="button"
              role="tab"
              id={`${panelId}-${name}`}
              aria-selected={list() === name}
              aria-controls={panelId}
              tabIndex={list() === name ? 0 : -1}
              onClick={() => setList(name)}
            >
              {t(label)}
            </button>
          )}
        </For>
      </div>
      <div class="start-search">
        <input
          class="field"
          type="search"
          dir="auto"
          aria-label={t("Search workbooks")}
          placeholder={t("Search workbooks")}
          value={search()}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            window.clearTimeout(timer);
            timer = window.setTimeout(() => setSettledSearch(search().trim()), SEARCH_MS);
          }}
        />
      </div>
      <div id={panelId} role="tabpanel" aria-labelledby={`${panelId}-${list()}`}>
        <Show when={failure()}>
          <p class="start-failure" role="alert">
            {failure()}
          </p>
        </Show>
        <Show
          when={rows().length > 0}
          fallback={
            <p class="start-empty" role="status">
              {isLoading() ? t("Loading…") : search().trim() === "" ? t(EMPTY[list()]) : t("No workbook has this name.")}
            </p>
          }
        >
          <ul>
            <For each={rows()}>
              {(row) => (
                <li>
                  <Row row={row} list={list()} onOpen={props.onOpen} isKnown={looked.latest !== undefined} />
                  <Actions
                    row={row}
                    list={list()}
                    onForget={() => {
                      forgetRoom(row.room);
                      setRemovals((count) => count + 1);
                    }}
                    onTrash={() => void act((api) => api.moveToTrash(row.room))}
                    onRestore={() => void act((api) => api.restoreFromTrash(row.room))}
                    onDelete={() =>
                      void act(async (api) => {
                        await api.deleteForEver(row.room);
                        forgetCredentials(row.room);
                        forgetRoom(row.room);
                      })
                    }
                  />
                </li>
              )}
            </For>
          </ul>
          <Show when={account.hasMore()}>
            <button type="button" class="button start-more" onClick={() => account.loadMore()}>
              {t("Show more")}
            </button>
          </Show>
        </Show>
      </div>
    </section>
  );
}

/** Left and right arrows move between tabs, as in every tab list. */
function moveTab(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, current: ListName, choose: (list: ListName) => void): void {
  const position = TABS.findIndex(([name]) => name === current);
  const isRtl = document.documentElement.dir === "rtl";
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: isRtl ? position + 1 : position - 1,
    ArrowRight: isRtl ? position - 1 : position + 1,
    Home: 0,
    End: TABS.length - 1,
  };
  const target = steps[event.key];
  if (target !== undefined) {
    event.preventDefault();
    const next = (target + TABS.length) % TABS.length;
    choose(TABS[next]?.[0] ?? current);
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  }
}

/** The list of the account, page by page; empty when nobody is signed in. */
function createAccountList(list: () => ListName, search: () => string) {
  const [more, setMore] = createSignal<{ readonly workbooks: readonly ListedWorkbook[]; readonly next: string | null }>();
  const [first, { refetch }] = createResource(
    () => [list(), search()] as const,
    async ([name, text]) => {
      setMore(undefined);
      return name === "recent" ? undefined : accountPage(name, text, undefined);
    },
    { initialValue: undefined },
  );
  const next = () => (more() ?? first.latest)?.next ?? undefined;
  return {
    workbooks: () => [...(first.latest?.workbooks ?? []), ...(more()?.workbooks ?? [])],
    isLoading: () => first.loading,
    hasMore: () => next() !== undefined,
    reload: () => void refetch(),
    loadMore: async () => {
      const name = list();
      const page = name === "recent" ? undefined : await accountPage(name, search(), next());
      if (page && name === list()) {
        setMore({ workbooks: [...(more()?.workbooks ?? []), ...page.workbooks], next: page.next });
      }
    },
  };
}

function Row(props: { readonly row: WorkbookRow; readonly list: ListName; readonly isKnown: boolean; readonly onOpen: (room: string) => void }) {
  const { row } = props;
  const name = row.title ?? roomTitle(row.room);
  return (
    <a
      href={roomPath(row.room)}
      onClick={(event) => {
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
          event.preventDefault();
          props.onOpen(row.room);
        }
      }}
    >
      <Icon name="sheet" />
      <span class="start-names">
        <span class="start-room">
          <bdi>{name}</bdi>
          {/* Distinguishes rooms of the same title by a part of their name. */}
          <Show when={name !== row.room}>
            <small dir="ltr">{roomTitle(row.room) === row.room ? row.room : row.room.slice(-6)}</small>
          </Show>
        </span>
        <span class="start-detail">{details(row, props.list, props.isKnown)}</span>
      </span>
      <Show when={row.timeMs !== undefined && props.list !== "trash" && row.timeMs}>
        {(timeMs) => <time dateTime={new Date(timeMs()).toISOString()}>{ago(timeMs())}</time>}
      </Show>
    </a>
  );
}

/** Owner and role of a row, or the days until it is deleted. */
function details({ listed }: WorkbookRow, list: ListName, isKnown: boolean): string {
  if (!listed) {
    return isKnown ? t("Does not open: deleted, or you have no access") : "";
  }
  if (list === "trash") {
    return t("Deleted in {count} days", { count: daysLeft(listed.trashedMs ?? 0, Date.now()) });
  }
  const owner = listed.isMine ? t("Owned by me") : listed.owner ? t("Owned by {name}", { name: listed.owner.name }) : undefined;
  const role = listed.isMine ? undefined : roleName(listed.role);
  return [owner, role].filter((text) => text !== undefined).join(" · ");
}

function Actions(props: {
  readonly row: WorkbookRow;
  readonly list: ListName;
  readonly onForget: () => void;
  readonly onTrash: () => void;
  readonly onRestore: () => void;
  readonly onDelete: () => void;
}) {
  const { row } = props;
  const name = row.title ?? roomTitle(row.room);
  const [isConfirming, setIsConfirming] = createSignal(false);
  return (
    <>
      <Show when={props.list === "recent"}>
        <IconButton icon="close" label={t("Remove {name} from this list", { name })} hint={t("Remove from this list")} onPress={props.onForget} />
      </Show>
      <Show when={props.list === "mine"}>
        <IconButton icon="trash" label={t("Move {name} to trash", { name })} hint={t("Move to trash")} onPress={props.onTrash} />
      </Show>
      <Show when={props.list === "trash" && !isConfirming()}>
        <button type="button" class="button" aria-label={t("Restore {name}", { name })} onClick={() => props.onRestore()}>
          {t("Restore")}
        </button>
        <IconButton icon="trash" label={t("Delete {name} for ever…", { name })} hint={t("Delete for ever…")} onPress={() => setIsConfirming(true)} />
      </Show>
      <Show when={props.list === "trash" && isConfirming()}>
        <button type="button" class="button is-dangerous" ref={(element) => queueMicrotask(() => element.focus())} aria-label={`${t("Delete for ever")}: ${name}`} onClick={() => props.onDelete()}>
          {t("Delete for ever")}
        </button>
        <IconButton icon="close" label={t("Cancel")} hint={t("Cancel")} onPress={() => setIsConfirming(false)} />
      </Show>
    </>
  );
}

function IconButton(props: { readonly icon: "close" | "trash"; readonly label: string; readonly hint: string; readonly onPress: () => void }) {
  return (
    <button type="button" class="tool" aria-label={props.label} title={props.hint} onClick={() => props.onPress()}>
      <Icon name={props.icon} />
    </button>
  );
}
