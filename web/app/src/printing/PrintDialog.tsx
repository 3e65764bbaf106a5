/** The dialog "Print": page setup, preview and printing. */

import "../style/print.css";
import { type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createResource, createSignal, createUniqueId, Match, on, onCleanup, Show, Switch } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { drawPreviewOf, type PrintJob, jobOf, PAGES_MAX, PAGES_WARN, printJob } from "./print-job.ts";
import { DrawingPainter } from "./print-drawings.ts";
import { fieldsOf, type PageSetup, setupOf, titleAnchors, defaultPaper } from "./page-setup.ts";
import { PageSetupForm, type PrintScope } from "./PageSetupForm.tsx";
import { layOut, readSheet, type PrintedSheetData } from "./print-sheet.ts";
import { paperChartTheme } from "../charts/index.ts";

/** The dialog "Print". */
export function PrintDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const defaultPaperSize = defaultPaper(navigator.languages);
  const [scope, setScope] = createSignal<PrintScope>("sheet");
  const [setup, setSetup] = createSignal<PageSetup>();
  const [page, setPage] = createSignal(0);
  const [printedCount, setPrintedCount] = createSignal<number>();
  const controller = new AbortController();
  onCleanup(() => controller.abort());

  const [reads] = createResource(
    () => (scope() === "workbook" ? "all" : "one"),
    async (range): Promise<readonly PrintedSheetData[]> => {
      const tabs = model.sheets().filter(({ id }) => range === "all" || id === sheet);
      const sheets = await Promise.all(tabs.map(({ id, name }) => readSheet(model.session, id, name)));
      return sheets.filter(({ id, items }) => id === sheet || !isHidden(items));
    },
  );
  createEffect(() => {
    const current = reads()?.find(({ id }) => id === sheet);
    if (current && !setup()) {
      setSetup(setupOf(current.items, defaultPaperSize));
    }
  });
  const selected: Range = model.range;
  const job = createMemo((): PrintJob | undefined => {
    const edited = setup();
    const read = reads();
    if (!edited || !read) {
      return undefined;
    }
    const only = scope() === "selection" ? selected : undefined;
    const laidOut = read.map((data) => layOut(data, data.id === sheet ? edited : setupOf(data.items, defaultPaperSize), only));
    return jobOf(laidOut, model.title.displayed());
  });
  createEffect(on(job, (newJob) => setPage((before) => Math.max(0, Math.min(before, (newJob?.count ?? 1) - 1)))));

  const drawer = new DrawingPainter(model.room, model.session, paperChartTheme());
  const reasonId = createUniqueId();
  const emptyTextId = createUniqueId();
  const isEmpty = () => job()?.count === 0;
  const emptyText = () => (scope() === "selection" ? t("The selected cells are empty.") : t("There is nothing to print."));
  const isTooMany = () => (job()?.count ?? 0) > PAGES_MAX;
  const canPrint = () => (job()?.count ?? 0) > 0 && !isTooMany() && printedCount() === undefined;

  const save = (): void => {
    const current = reads()?.find(({ id }) => id === sheet);
    const edited = setup();
    if (current && edited && model.status().canEdit) {
      const commands = saveCommands(sheet, current.items, setupOf(current.items, defaultPaperSize), edited);
      if (commands.length > 0) {
        model.command({ type: "many", commands: [...commands] });
      }
    }
  };
  const print = async (): Promise<void> => {
    const current = job();
    if (current && canPrint()) {
      setPrintedCount(0);
      save();
      const isComplete = await printJob(current, model.session, drawer, setPrintedCount, controller.signal);
      if (isComplete) {
        model.closeDialog();
      }
    }
  };

  return (
    <Modal isOpen title={t("Print")} isWide onClose={() => model.closeDialog()}>
      <div class="print-dialog">
        <Show when={setup()} fallback={<span class="spinner" aria-hidden="true" />}>
          {(now) => (
            <PageSetupForm
              setup={now()}
              onChange={(change) => setSetup({ ...now(), ...change })}
              scope={scope()}
              onScope={setScope}
              selected={notation().range(selected)}
              canStore={model.status().canEdit}
            />
          )}
        </Show>
        <section class="print-preview" aria-label={t("Preview")}>
          <Switch>
            <Match when={isEmpty()}>
              <p class="print-empty">{emptyText()}</p>
            </Match>
            <Match when={job()}>{(now) => <Preview model={model} job={now()} page={page()} drawer={drawer} />}</Match>
          </Switch>
          <Show when={(job()?.count ?? 0) > 0}>
            <div class="print-navigation">
              <button type="button" class="button" disabled={page() === 0} onClick={() => setPage(page() - 1)}>
                {t("Previous page")}
              </button>
              <span role="status" aria-label={t("Pages")}>
                {t("Page {number} of {count}", { number: page() + 1, count: job()?.count ?? 0 })}
              </span>
              <button type="button" class="button" disabled={page() + 1 >= (job()?.count ?? 0)} onClick={() => setPage(page() + 1)}>
                {t("Next page")}
              </button>
            </div>
          </Show>
        </section>
      </div>
      <div class="print-footer">
        <p role="status" class="print-warning" id={reasonId}>
          <Switch>
            <Match when={printedCount() !== undefined}>{t("Page {number} of {count}", { number: printedCount() ?? 0, count: job()?.count ?? 0 })}</Match>
            <Match when={isEmpty()}>
              {/* Displayed only where the preview is below the form, outside of the view. */}
              <span class="print-empty-short" id={emptyTextId}>
                {emptyText()}
              </span>
            </Match>
            <Match when={isTooMany()}>
              {t("{pages} pages exceed the limit of {max}. Choose a print area or a smaller scale.", {
                pages: job()?.count ?? 0,
                max: PAGES_MAX,
              })}
            </Match>
            <Match when={(job()?.count ?? 0) >= PAGES_WARN}>
              {t("{pages} pages. Preparing them takes a while.", { pages: job()?.count ?? 0 })}
            </Match>
          </Switch>
        </p>
        <div class="modal-buttons">
          <button type="button" class="button" onClick={() => model.closeDialog()}>
            {t("Cancel")}
          </button>
          <Show when={model.status().canEdit}>
            <button
              type="button"
              class="button"
              onClick={() => {
                save();
                model.closeDialog();
              }}
            >
              {t("Save page setup")}
            </button>
          </Show>
          <button type="button" class="button is-main" disabled={!canPrint()} aria-describedby={canPrint() ? undefined : isEmpty() ? emptyTextId : reasonId} onClick={() => void print()}>
            {t("Print")}
          </button>
        </div>
      </div>
    </Modal>
  );
}

function Preview(props: { readonly model: WorkbookModel; readonly job: PrintJob; readonly page: number; readonly drawer: DrawingPainter }) {
  let container!: HTMLDivElement;
  let requestCount = 0;
  createEffect(() => {
    const { job, page, drawer, model } = props;
    requestCount += 1;
    const request = requestCount;
    if (page < job.count) {
      void drawPreviewOf(job, page, model.session, drawer).then((drawing) => {
        if (request === requestCount) {
          container.replaceChildren(drawing);
        }
      });
    }
  });
  return <div class="print-paper" dir="ltr" ref={container} />;
}

/** The commands that store the page setup in the workbook. */
function saveCommands(sheet: number, items: readonly ItemDetails[], before: PageSetup, after: PageSetup): readonly Command[] {
  const commands: Command[] = [];
  const oldFields = fieldsOf(before);
  const fields = Object.fromEntries(Object.entries(fieldsOf(after)).filter(([name, value]) => oldFields[name] !== value));
  if (Object.keys(fields).length > 0) {
    commands.push({ type: "setItem", sheet, item: 0, fields });
  }
  const ranges = (kind: string, from: readonly string[], to: readonly string[]): void => {
    const existing = items.filter((item) => item.kind === kind);
    if (from.join() === to.join()) {
      return;
    }
    commands.push(...existing.map(({ id }) => ({ type: "removeItem" as const, sheet, item: id })));
    if (to.length > 0) {
      commands.push({ type: "setItem", sheet, item: newItemId(), kind, anchors: [...to], fields: {} });
    }
  };
  ranges("printArea", before.areas.map(rangeName), after.areas.map(rangeName));
  ranges("printTitles", titleAnchors(before), titleAnchors(after));
  return commands;
}

function isHidden(items: readonly ItemDetails[]): boolean {
  return items.some((item) => item.kind === "sheetSettings" && item.fields["hidden"] === true);
}
