/** Page set-up and printing: what comes on paper, how, and how it will look. */

import "../style/print.css";
import { type Range, rangeName } from "@quadrille/grid";
import type { Command, ItemDetails } from "@quadrille/protocol";
import { createEffect, createMemo, createResource, createSignal, createUniqueId, Match, on, onCleanup, Show, Switch } from "solid-js";
import { showNumber, t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import { newItemId, type WorkbookModel } from "../state/index.ts";
import { notation } from "../settings/index.ts";
import { drawPageOf, type Job, jobOf, PAGES_MAX, PAGES_WARN, printJob } from "./print-job.ts";
import { PictureDrawer } from "./print-drawings.ts";
import { fieldsOf, type Setup, setupOf, titleAnchors, defaultPaper } from "./page-setup.ts";
import { PageSetupForm, type What } from "./PageSetupForm.tsx";
import { layOut, readSheet, type SheetRead } from "./print-sheet.ts";
import { paperTheme } from "./print-theme.ts";

export function PrintDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const usual = defaultPaper(navigator.languages);
  const [what, setWhat] = createSignal<What>("sheet");
  const [setup, setSetup] = createSignal<Setup>();
  const [page, setPage] = createSignal(0);
  const [done, setDone] = createSignal<number>();
  const stopping = new AbortController();
  onCleanup(() => stopping.abort());

  const [reads] = createResource(
    () => (what() === "workbook" ? "all" : "one"),
    async (which): Promise<readonly SheetRead[]> => {
      const tabs = model.sheets().filter(({ id }) => which === "all" || id === sheet);
      const found = await Promise.all(tabs.map(({ id, name }) => readSheet(model.session, id, name)));
      return found.filter(({ id, items }) => id === sheet || !isHidden(items));
    },
  );
  createEffect(() => {
    const own = reads()?.find(({ id }) => id === sheet);
    if (own && !setup()) {
      setSetup(setupOf(own.items, usual));
    }
  });
  const selected: Range = model.range;
  const job = createMemo((): Job | undefined => {
    const own = setup();
    const read = reads();
    if (!own || !read) {
      return undefined;
    }
    const only = what() === "selection" ? selected : undefined;
    const laidOut = read.map((one) => layOut(one, one.id === sheet ? own : setupOf(one.items, usual), only));
    return jobOf(laidOut, model.title.displayed());
  });
  createEffect(on(job, (now) => setPage((before) => Math.max(0, Math.min(before, (now?.count ?? 1) - 1)))));

  const drawer = new PictureDrawer(model.room, model.session, {
    ...chartLook(),
    otherName: t("Other"),
    seriesName: (number) => t("Series {number}", { number }),
    trendName: (series) => t("Trend line of {series}", { series }),
    showNumber,
  });
  const reasonId = createUniqueId();
  const nothingId = createUniqueId();
  const isNothing = () => job()?.count === 0;
  const nothing = () => (what() === "selection" ? t("The chosen cells are empty.") : t("There is nothing to print here."));
  const isTooMany = () => (job()?.count ?? 0) > PAGES_MAX;
  const canPrint = () => (job()?.count ?? 0) > 0 && !isTooMany() && done() === undefined;

  const keep = (): void => {
    const own = reads()?.find(({ id }) => id === sheet);
    const now = setup();
    if (own && now && model.status().canEdit) {
      const commands = persistCommands(sheet, own.items, setupOf(own.items, usual), now);
      if (commands.length > 0) {
        model.command({ type: "many", commands: [...commands] });
      }
    }
  };
  const print = async (): Promise<void> => {
    const now = job();
    if (now && canPrint()) {
      setDone(0);
      keep();
      const isDone = await printJob(now, model.session, drawer, setDone, stopping.signal);
      if (isDone) {
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
              what={what()}
              onWhat={setWhat}
              selected={notation().range(selected)}
              canStore={model.status().canEdit}
            />
          )}
        </Show>
        <section class="print-preview" aria-label={t("Preview")}>
          <Switch>
            <Match when={isNothing()}>
              <p class="print-nothing">{nothing()}</p>
            </Match>
            <Match when={job()}>{(now) => <Preview model={model} job={now()} page={page()} drawer={drawer} />}</Match>
          </Switch>
          <Show when={(job()?.count ?? 0) > 0}>
            <div class="print-steps">
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
      <div class="print-foot">
        <p role="status" class="print-warning" id={reasonId}>
          <Switch>
            <Match when={done() !== undefined}>{t("Page {number} of {count}", { number: done() ?? 0, count: job()?.count ?? 0 })}</Match>
            <Match when={isNothing()}>
              {/* Only where the preview is out of sight, below the form. */}
              <span class="print-nothing-short" id={nothingId}>
                {nothing()}
              </span>
            </Match>
            <Match when={isTooMany()}>
              {t("These are {pages} pages; at most {max} can be printed at once. Choose a print area or a smaller scale.", {
                pages: job()?.count ?? 0,
                max: PAGES_MAX,
              })}
            </Match>
            <Match when={(job()?.count ?? 0) >= PAGES_WARN}>
              {t("These are {pages} pages. Getting them ready takes a while.", { pages: job()?.count ?? 0 })}
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
                keep();
                model.closeDialog();
              }}
            >
              {t("Save page setup")}
            </button>
          </Show>
          <button type="button" class="button is-main" disabled={!canPrint()} aria-describedby={canPrint() ? undefined : isNothing() ? nothingId : reasonId} onClick={() => void print()}>
            {t("Print")}
          </button>
        </div>
      </div>
    </Modal>
  );
}

function Preview(props: { readonly model: WorkbookModel; readonly job: Job; readonly page: number; readonly drawer: PictureDrawer }) {
  let place!: HTMLDivElement;
  let turn = 0;
  createEffect(() => {
    const { job, page, drawer, model } = props;
    turn += 1;
    const own = turn;
    if (page < job.count) {
      void drawPageOf(job, page, model.session, drawer).then((drawing) => {
        if (own === turn) {
          place.replaceChildren(drawing);
        }
      });
    }
  });
  return <div class="print-paper" dir="ltr" ref={place} />;
}

/** What has to change in the workbook for it to keep this. */
function persistCommands(sheet: number, items: readonly ItemDetails[], before: Setup, now: Setup): readonly Command[] {
  const commands: Command[] = [];
  const old = fieldsOf(before);
  const fields = Object.fromEntries(Object.entries(fieldsOf(now)).filter(([name, value]) => old[name] !== value));
  if (Object.keys(fields).length > 0) {
    commands.push({ type: "setItem", sheet, item: 0, fields });
  }
  const ranges = (kind: string, from: readonly string[], to: readonly string[]): void => {
    const known = items.filter((item) => item.kind === kind);
    if (from.join() === to.join()) {
      return;
    }
    commands.push(...known.map(({ id }) => ({ type: "removeItem" as const, sheet, item: id })));
    if (to.length > 0) {
      commands.push({ type: "setItem", sheet, item: newItemId(), kind, anchors: [...to], fields: {} });
    }
  };
  ranges("printArea", before.areas.map(rangeName), now.areas.map(rangeName));
  ranges("printTitles", titleAnchors(before), titleAnchors(now));
  return commands;
}

function isHidden(items: readonly ItemDetails[]): boolean {
  return items.some((item) => item.kind === "sheetSettings" && item.fields["hidden"] === true);
}

function chartLook() {
  const { ink, line, paper, fontFamily } = paperTheme();
  return { isDark: false, ink, softInk: "#444444", line, paper, font: fontFamily, animates: false };
}
