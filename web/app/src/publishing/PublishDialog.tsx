/** The dialog "Publish to web": the published pages of the workbook, and a new one. */

import "../style/publishing.css";
import { rangeName } from "@quadrille/grid";
import { createResource, createSignal, For, Show } from "solid-js";
import { CopyButton, focusInvalidField, FormField, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { listPublished, publish, type PublishedPage, stopPublishing } from "./published-api.ts";

const TITLE_MAX = 200;

/** The dialog "Publish to web". */
export function PublishDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <Modal isOpen isWide title={t("Publish to web")} onClose={() => model.closeDialog()}>
      <Show
        when={model.access.isOwner()}
        fallback={
          <>
            <p>{t("Only the owner of a workbook can publish it.")}</p>
            <div class="modal-buttons">
              <button type="button" class="button is-main" onClick={() => model.closeDialog()}>
                {t("Close")}
              </button>
            </div>
          </>
        }
      >
        <Pages model={model} />
      </Show>
    </Modal>
  );
}

function Pages(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [pages, { refetch }] = createResource(() => listPublished(model.room));
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setIsBusy] = createSignal(false);
  const act = async (change: () => Promise<unknown>): Promise<void> => {
    setFailure(undefined);
    setIsBusy(true);
    try {
      await change();
      await refetch();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  const list = (): readonly PublishedPage[] => (pages.state === "errored" ? [] : (pages.latest ?? []));
  const loadFailure = (): string | undefined => (pages.state === "errored" ? String(pages.error instanceof Error ? pages.error.message : pages.error) : undefined);
  return (
    <div class="publish-dialog" aria-busy={isBusy()}>
      <p class="form-hint">{t("Anyone with the link of a published page can view it, without an account. The page shows changes as they happen, and no notes or comments.")} {t("Charts on the page show all of their data, also from cells that are not published.")}</p>
      <Show when={failure() ?? loadFailure()}>
        {(text) => (
          <p class="form-error" role="alert">
            {text()}
          </p>
        )}
      </Show>
      <Show when={list().length > 0}>
        <ul class="publish-list" aria-label={t("Published pages")}>
          <For each={list()}>{(page) => <PageRow page={page} onStop={() => void act(() => stopPublishing(model.room, page.id))} />}</For>
        </ul>
      </Show>
      <NewPage model={model} isBusy={isBusy()} onPublish={(sheet, range, title) => act(() => publish(model.room, { title, ...(sheet === undefined ? {} : { sheet }), ...(range === undefined ? {} : { range }) }))} />
    </div>
  );
}

function PageRow(props: { readonly page: PublishedPage; readonly onStop: () => void }) {
  const address = (): string => new URL(props.page.url, location.href).href;
  const content = (): string => {
    switch (props.page.kind) {
      case "workbook":
        return t("Entire workbook");
      case "sheet":
        return props.page.sheet ?? t("The sheet is gone");
      case "name":
        return props.page.range ?? t("The range is gone");
    }
  };
  return (
    <li class="publish-row">
      <div class="publish-name">
        <a href={props.page.url} target="_blank" rel="noopener" dir="auto">
          {props.page.title}
        </a>
        <span class="form-hint" dir="auto">
          {content()}
        </span>
      </div>
      <CopyButton text={address} label={t("Copy link")} />
      <CopyButton text={() => embedCode(address(), props.page.title)} label={t("Copy embed code")} />
      <button type="button" class="button" aria-label={t("Stop publishing {name}", { name: props.page.title })} onClick={() => props.onStop()}>
        {t("Stop publishing")}
      </button>
    </li>
  );
}

/** HTML that shows a page within another one. */
function embedCode(address: string, title: string): string {
  const frame = document.createElement("iframe");
  frame.src = `${address}?embed`;
  frame.title = title;
  frame.width = "100%";
  frame.height = "480";
  return frame.outerHTML;
}

/** The parts that can be published: the workbook, the selected cells, or a sheet by its number. */
type Part = "workbook" | "selection" | number;

function NewPage(props: { readonly model: WorkbookModel; readonly isBusy: boolean; readonly onPublish: (sheet: string | undefined, range: string | undefined, title: string) => Promise<void> }) {
  const { model } = props;
  const range = model.selection().ranges.at(-1);
  const [part, setPart] = createSignal<Part>("workbook");
  const [title, setTitle] = createSignal(model.title.displayed());
  const [hasTried, setHasTried] = createSignal(false);
  const sheets = () => model.sheets().filter(({ isHidden }) => !isHidden);
  const nameOf = (id: number | undefined): string | undefined => model.sheets().find((sheet) => sheet.id === id)?.name;
  let form!: HTMLFormElement;
  const submit = (): void => {
    setHasTried(true);
    const chosen = part();
    if (title().trim() === "") {
      focusInvalidField(form);
    } else if (chosen === "workbook") {
      void props.onPublish(undefined, undefined, title().trim());
    } else if (chosen === "selection") {
      void props.onPublish(nameOf(model.sheet()), range && rangeName(range), title().trim());
    } else {
      void props.onPublish(nameOf(chosen), undefined, title().trim());
    }
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormField label={t("Published content")} errorText={undefined}>
        {(attributes) => (
          <select
            {...attributes}
            class="field"
            value={String(part())}
            onChange={({ currentTarget: { value } }) => setPart(value === "workbook" || value === "selection" ? value : Number(value))}
          >
            <option value="workbook">{t("Entire workbook")}</option>
            <For each={sheets()}>{(sheet) => <option value={String(sheet.id)}>{t("Sheet {name}", { name: sheet.name })}</option>}</For>
            <Show when={range}>{(cells) => <option value="selection">{t("Selected cells {range}", { range: notation().range(cells()) })}</option>}</Show>
          </select>
        )}
      </FormField>
      <FormField label={t("Title")} errorText={hasTried() && title().trim() === "" ? t("Enter a value.") : undefined}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required maxLength={TITLE_MAX} value={title()} onInput={(event) => setTitle(event.currentTarget.value)} />}
      </FormField>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => model.closeDialog()}>
          {t("Close")}
        </button>
        <button type="submit" class="button is-main" disabled={props.isBusy}>
          {t("Publish")}
        </button>
      </div>
    </form>
  );
}
