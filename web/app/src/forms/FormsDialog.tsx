/** The dialog "Forms": the forms of the workbook, a new one, and the settings of one. */

import "../style/form-editor.css";
import { createResource, createSignal, For, Match, Show, Switch } from "solid-js";
import { CopyButton, DialogButtons, focusInvalidField, FormField, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import { notation } from "../settings/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { tableAt } from "../tables/index.ts";
import { rangeName } from "@quadrille/grid";
import { FormEditor } from "./FormEditor.tsx";
import { changeForm, createForm, deleteForm, type FormChange, type FormDetails, listForms, previewForm, renewLink, revokeLink } from "./forms-api.ts";

const TITLE_MAX = 200;

/** The dialog "Forms". */
export function FormsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [forms, { refetch }] = createResource(() => listForms(model.room));
  const [chosen, setChosen] = createSignal<string>();
  const [isNew, setIsNew] = createSignal(false);
  const [failure, setFailure] = createSignal<string>();
  const [isBusy, setIsBusy] = createSignal(false);
  const [preview, setPreview] = createSignal<string>();
  const act = async (change: () => Promise<unknown>): Promise<boolean> => {
    setFailure(undefined);
    setIsBusy(true);
    try {
      await change();
      await refetch();
      return true;
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  const list = (): readonly FormDetails[] => (forms.state === "errored" ? [] : (forms.latest ?? []));
  const edited = (): FormDetails | undefined => list().find(({ id }) => id === chosen());
  const create = async (range: string, title: string): Promise<void> => {
    const sheet = model.sheets().find(({ id }) => id === model.sheetId())?.name ?? "";
    let made: FormDetails | undefined;
    await act(async () => {
      made = await createForm(model.room, sheet, range, title);
    });
    if (made) {
      setChosen(made.id);
      setIsNew(false);
    }
  };
  const showPreview = async (id: string, change: FormChange): Promise<void> => {
    setFailure(undefined);
    setPreview(await previewForm(model.room, id, change).catch((error: unknown) => void setFailure(error instanceof Error ? error.message : String(error))));
  };
  return (
    <Modal isOpen isWide title={edited() ? t("Form") : t("Forms")} onClose={() => model.closeDialog()}>
      <div class="forms-dialog" aria-busy={isBusy()}>
        <Show when={failure() ?? (forms.state === "errored" ? String(forms.error instanceof Error ? forms.error.message : forms.error) : undefined)}>
          {(text) => (
            <p class="form-error" role="alert">
              {text()}
            </p>
          )}
        </Show>
        <Switch fallback={<p>{t("Loading…")}</p>}>
          <Match when={edited()}>
            {(form) => (
              <>
                <FormLink form={form()} />
                <FormEditor
                  form={form()}
                  onSave={async (change: FormChange) => {
                    if (await act(() => changeForm(model.room, form().id, change))) {
                      setChosen(undefined);
                    }
                  }}
                  onCancel={() => setChosen(undefined)}
                  onPreview={(change) => void showPreview(form().id, change)}
                  onNewLink={() => void act(() => renewLink(model.room, form().id))}
                  onRevokeLink={async () => void (await act(() => revokeLink(model.room, form().id)))}
                  onDelete={async () => void (await act(() => deleteForm(model.room, form().id)))}
                />
              </>
            )}
          </Match>
          <Match when={forms.state === "ready" && (isNew() || list().length === 0)}>
            <NewForm model={model} onCreate={create} onCancel={() => (list().length === 0 ? model.closeDialog() : setIsNew(false))} />
          </Match>
          <Match when={list().length > 0}>
            <ul class="forms-list">
              <For each={list()}>
                {(form) => (
                  <li class="forms-row">
                    <div class="forms-name">
                      <span dir="auto">{form.title}</span>
                      <span class="form-hint">{[form.table ?? t("The table is gone"), form.isClosed ? t("Closed") : undefined].filter((text) => text !== undefined).join(" · ")}</span>
                    </div>
                    <Show when={form.url}>{(url) => <CopyButton text={() => address(url())} label={t("Copy link")} />}</Show>
                    <button type="button" class="button" aria-label={t("Edit {name}", { name: form.title })} onClick={() => setChosen(form.id)}>
                      {t("Edit")}
                    </button>
                  </li>
                )}
              </For>
            </ul>
            <div class="modal-buttons">
              <button type="button" class="button" onClick={() => model.closeDialog()}>
                {t("Close")}
              </button>
              <button type="button" class="button is-main" onClick={() => setIsNew(true)}>
                {t("Create form…")}
              </button>
            </div>
          </Match>
        </Switch>
        <Show when={preview()}>{(page) => <FormPreview page={page()} onClose={() => setPreview(undefined)} />}</Show>
      </div>
    </Modal>
  );
}

/** The page of a form as respondents see it. Without the right to send forms and run scripts it takes no response. */
function FormPreview(props: { readonly page: string; readonly onClose: () => void }) {
  return (
    <Modal isOpen isWide title={t("Preview")} onClose={() => props.onClose()}>
      <iframe class="forms-preview" title={t("Preview")} sandbox="allow-same-origin" srcdoc={props.page} />
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t("Close")}
        </button>
      </div>
    </Modal>
  );
}

function address(url: string): string {
  return new URL(url, location.href).href;
}

/** The link of a form, to copy and to open. */
function FormLink(props: { readonly form: FormDetails }) {
  let field!: HTMLInputElement;
  return (
    <Show when={props.form.url} fallback={<p class="form-hint">{t("The link is revoked. Create a new one to receive responses.")}</p>}>
      {(url) => (
        <div class="forms-link">
          <input ref={field} class="field" dir="ltr" readOnly aria-label={t("Link of the form")} value={address(url())} onFocus={() => field.select()} />
          <CopyButton text={() => address(url())} label={t("Copy link")} />
          <a class="button" href={url()} target="_blank" rel="noopener">
            {t("Open")}
          </a>
        </div>
      )}
    </Show>
  );
}

function NewForm(props: { readonly model: WorkbookModel; readonly onCreate: (range: string, title: string) => Promise<void>; readonly onCancel: () => void }) {
  const { model } = props;
  const table = tableAt(model, model.selection().active);
  const [cells, setCells] = createSignal("");
  void model.dataRange().then((range) => setCells(table?.anchors[0] ?? notation().range(range)));
  const [title, setTitle] = createSignal("");
  const [errors, setErrors] = createSignal<{ readonly cells?: string; readonly title?: string }>({});
  let form!: HTMLFormElement;
  const submit = (): void => {
    const range = notation().parse(cells().trim(), model.selection().active);
    const found = {
      ...(title().trim() === "" ? { title: t("Enter a value.") } : {}),
      ...(range ? {} : { cells: cells().trim() === "" ? t("Enter a value.") : t("Not a valid cell reference: {text}", { text: cells() }) }),
    };
    setErrors(found);
    if (range && title().trim() !== "") {
      void props.onCreate(rangeName(range), title().trim());
    } else {
      focusInvalidField(form);
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
      <p class="form-hint">{t("Whoever has the link of a form can add rows to the table, without an account and without seeing the workbook.")}</p>
      <FormField label={t("Title")} errorText={errors().title}>
        {(attributes) => <input {...attributes} class="field" dir="auto" required maxLength={TITLE_MAX} value={title()} onInput={(event) => setTitle(event.currentTarget.value)} />}
      </FormField>
      <FormField label={t("Cells with a header row")} errorText={errors().cells}>
        {(attributes) => <input {...attributes} class="field" dir="ltr" required value={cells()} spellcheck={false} onInput={(event) => setCells(event.currentTarget.value)} />}
      </FormField>
      <DialogButtons onCancel={() => props.onCancel()} label={t("Create form")} />
    </form>
  );
}
