/** The workbooks of the server. */

import { createSignal, For, Match, Show, Switch } from "solid-js";
import { Icon, Menu, MenuItem, MenuSeparator } from "../../components/index.ts";
import { ago, type Message, t } from "../../language/index.ts";
import { roomPath, roomTitle } from "../../rooms/index.ts";
import { ConfirmDialog } from "../ConfirmDialog.tsx";
import { notify } from "../Notice.tsx";
import { createDelayed, createRemoteList } from "../remote.ts";
import { failureText } from "../request.ts";
import { Loaded, Row, Section } from "../Section.tsx";
import { deleteWorkbook, type ManagedWorkbook, readWorkbooks, restoreWorkbook, type WorkbookList } from "./admin-data.ts";
import { showBytes } from "./bytes.ts";
import { MoreButton } from "./MoreButton.tsx";
import { SearchField } from "./SearchField.tsx";
import { TransferDialog } from "./TransferDialog.tsx";

const LISTS: readonly (readonly [list: WorkbookList, label: Message])[] = [
  ["", "All workbooks"],
  ["trash", "In the trash"],
  ["unclaimed", "No owner"],
];

interface Open {
  readonly dialog: "transfer" | "delete";
  readonly workbook: ManagedWorkbook;
}

/** Lists, transfers, restores and deletes workbooks. */
export function WorkbooksSection() {
  const [search, setSearch] = createSignal("");
  const [shownList, setShownList] = createSignal<WorkbookList>("");
  const typed = createDelayed(() => search().trim());
  const workbooks = createRemoteList(() => ({ q: typed(), list: shownList() }), readWorkbooks);
  const [open, setOpen] = createSignal<Open>();
  const close = (isDone: boolean): void => {
    setOpen(undefined);
    if (isDone) {
      void workbooks.reload();
    }
  };
  const restore = async (workbook: ManagedWorkbook): Promise<void> => {
    try {
      await restoreWorkbook(workbook.room);
      notify(t("The workbook was restored."));
    } catch (error) {
      notify(failureText(error));
    }
    await workbooks.reload();
  };
  const nameOf = (workbook: ManagedWorkbook): string => workbook.title ?? roomTitle(workbook.room);
  return (
    <Section title={t("Workbooks")} note={t("Administrators see names and sizes, not contents.")}>
      <div class="admin-filters">
        <SearchField label={t("Search by name")} value={search()} onInput={setSearch} />
        <select class="field" aria-label={t("Show workbooks")} onChange={(event) => setShownList(LISTS.find(([name]) => name === event.currentTarget.value)?.[0] ?? "")}>
          <For each={LISTS}>
            {([name, label]) => (
              <option value={name} selected={name === shownList()}>
                {t(label)}
              </option>
            )}
          </For>
        </select>
      </div>
      <Loaded of={workbooks}>
        {(page) => (
          <ul class="account-rows">
            <For each={page().items} fallback={<li class="account-empty">{search().trim() === "" && shownList() === "" ? t("No workbooks yet") : t("Nothing found")}</li>}>
              {(workbook) => (
                <Row
                  title={
                    <a href={roomPath(workbook.room)}>
                      <bdi>{nameOf(workbook)}</bdi>
                    </a>
                  }
                  badges={
                    <>
                      <Show when={workbook.trashedMs != null}>
                        <span class="badge is-warning">{t("In the trash")}</span>
                      </Show>
                      <Show when={workbook.tenant}>
                        <span class="badge" dir="ltr">
                          {workbook.tenant}
                        </span>
                      </Show>
                    </>
                  }
                  facts={
                    <>
                      <span dir="ltr">{workbook.room}</span>
                      <Show when={workbook.owner} fallback={<span>{t("No owner")}</span>}>
                        {(owner) => <span>{t("Owner: {name}", { name: owner().name })}</span>}
                      </Show>
                      <Show when={workbook.bytes !== undefined}>
                        <span>{showBytes(workbook.bytes ?? 0)}</span>
                      </Show>
                      <Show when={workbook.changedMs}>{(changedMs) => <span>{t("Changed {time}", { time: ago(changedMs()) })}</span>}</Show>
                    </>
                  }
                  actions={
                    <Menu label={t("Actions for {name}", { name: nameOf(workbook) })} button={<Icon name="more" />} onClosed={() => undefined}>
                      <MenuItem icon="people" onSelect={() => setOpen({ dialog: "transfer", workbook })}>
                        {t("Transfer ownership…")}
                      </MenuItem>
                      <Show when={workbook.trashedMs != null}>
                        <MenuItem icon="clock" onSelect={() => void restore(workbook)}>
                          {t("Restore")}
                        </MenuItem>
                      </Show>
                      <MenuSeparator />
                      <MenuItem icon="trash" isDangerous onSelect={() => setOpen({ dialog: "delete", workbook })}>
                        {t("Delete forever…")}
                      </MenuItem>
                    </Menu>
                  }
                />
              )}
            </For>
          </ul>
        )}
      </Loaded>
      <MoreButton of={workbooks} />
      <Show when={open()} keyed>
        {({ dialog, workbook }) => (
          <Switch>
            <Match when={dialog === "transfer"}>
              <TransferDialog workbook={workbook} name={nameOf(workbook)} onClose={close} />
            </Match>
            <Match when={dialog === "delete"}>
              <ConfirmDialog title={t("Delete {name} forever?", { name: nameOf(workbook) })} action={t("Delete forever")} typed={workbook.room} onConfirm={() => deleteWorkbook(workbook.room)} onClose={close}>
                <p>{t("Deletes the workbook with its history, chat and images. This cannot be undone.")}</p>
              </ConfirmDialog>
            </Match>
          </Switch>
        )}
      </Show>
    </Section>
  );
}
