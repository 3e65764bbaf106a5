/** The dialog for the import of a file: progress, cancellation and errors. */

import { createSignal, Match, onMount, Show, Switch } from "solid-js";
import { ImportFailed, importFile, type ImportProgress } from "./import-file.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { t } from "../language/index.ts";

/** Imports a file into the workbook and shows the progress. */
export function ImportDialog(props: {
  readonly model: WorkbookModel;
  readonly file: File;
  readonly onClose: () => void;
}) {
  const [progress, setProgress] = createSignal<ImportProgress>();
  const [failure, setFailure] = createSignal<Error>();
  const controller = new AbortController();
  const close = (): void => {
    controller.abort();
    props.onClose();
    props.model.focusCells();
  };

  const progressText = (): string => {
    const { isReading, rows } = progress() ?? { isReading: false, rows: undefined };
    if (rows === undefined) {
      return t("Sending the file…");
    }
    return isReading ? t("{count} rows read", { count: rows }) : t("{count} rows imported", { count: rows });
  };

  onMount(async () => {
    try {
      const done = await importFile(props.model.room, props.file, controller.signal, setProgress);
      props.model.showImported(done.sheets);
      props.model.toast(
        done.rows > 0
          ? t("Imported {count} rows of {name}.", { count: done.rows, name: props.file.name })
          : t("Imported {name}.", { name: props.file.name }),
        false,
      );
      done.warnings.forEach((warning) => props.model.toast(warning, true));
      props.onClose();
      props.model.focusCells();
    } catch (error) {
      if (!controller.signal.aborted) {
        setFailure(error instanceof Error ? error : new Error(String(error)));
      }
    }
  });

  return (
    <Modal isOpen title={failure() === undefined ? t("Importing") : t("This file could not be imported")} onClose={close}>
      <Switch>
        <Match when={failure()}>
          {(failed) => (
            <>
              <p class="import-file">{props.file.name}</p>
              <p class="import-failure" role="alert" dir="auto">
                {failed().message}
              </p>
              <Show when={detailsOf(failed())}>
                {(details) => (
                  <details class="form-more import-note">
                    <summary>{t("Technical details")}</summary>
                    <p class="error-detail" lang="en" dir="ltr">
                      {details()}
                    </p>
                  </details>
                )}
              </Show>
              <p class="import-note">{t("The workbook was not changed.")}</p>
              <div class="modal-buttons">
                <button type="button" class="button is-main" onClick={close}>
                  {t("Close")}
                </button>
              </div>
            </>
          )}
        </Match>
        <Match when={true}>
          <p class="import-file">{props.file.name}</p>
          <Show
            when={progress()?.fraction !== undefined}
            fallback={<progress class="import-progress" aria-label={t("Import")} />}
          >
            <progress class="import-progress" aria-label={t("Import")} max={1} value={progress()?.fraction ?? 0} />
          </Show>
          <p class="import-note" role="status">
            {progressText()}
          </p>
          <div class="modal-buttons">
            <button type="button" class="button" onClick={close}>
              {t("Cancel")}
            </button>
          </div>
        </Match>
      </Switch>
    </Modal>
  );
}

function detailsOf(failure: Error): string | undefined {
  return failure instanceof ImportFailed ? failure.details : undefined;
}
