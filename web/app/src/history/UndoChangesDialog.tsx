/** The dialog that undoes what one person or program has changed, and keeps what others have. */

import { createResource, createSignal, For, Show } from "solid-js";
import { Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { summaryOf } from "./change-summary.ts";
import { type ChangesToUndo, HistoryUnavailable, undoChanges } from "./history.ts";

/** Says what an undo would do, and does it. */
export function UndoChangesDialog(props: {
  readonly model: WorkbookModel;
  readonly changes: ChangesToUndo;
  readonly onClose: () => void;
  /** Called with the number of revisions that were reverted. */
  readonly onUndone: (count: number) => void;
}) {
  const { model, changes } = props;
  const name = () => changes.author.name || t("Someone");
  const [planned] = createResource(() => undoChanges(model.room, changes, model.identity().name, true));
  const [isRunning, setIsRunning] = createSignal(false);
  const [failure, setFailure] = createSignal<unknown>();
  const plan = () => (planned.error === undefined ? planned() : undefined);
  const problem = () => failure() ?? planned.error;
  const isNothingLeft = () => plan()?.operationCount === 0;
  const undo = async (): Promise<void> => {
    setIsRunning(true);
    setFailure(undefined);
    try {
      const done = await undoChanges(model.room, changes, model.identity().name, false);
      props.onUndone(done.undone);
    } catch (error) {
      setFailure(error);
      setIsRunning(false);
    }
  };
  return (
    <Modal isOpen title={t("Undo changes of {name}", { name: name() })} onClose={() => props.onClose()}>
      <Show when={problem() !== undefined}>
        <p class="import-failure" role="alert">
          {problem() instanceof HistoryUnavailable ? (problem() as Error).message : t("The server cannot be reached")}
        </p>
      </Show>
      <Show when={planned.loading}>
        <p class="panel-note" role="status">
          <span class="spinner is-small" aria-hidden="true" /> {t("Finding out what can be undone…")}
        </p>
      </Show>
      <Show when={plan()}>
        {(found) => (
          <Show
            when={!isNothingLeft()}
            fallback={<p>{t("Others have overwritten these changes since. Nothing is left to undo.")}</p>}
          >
            <p>
              {t("This undoes {count} changes in one step. Later changes by others are kept.", { count: found().undone })}
            </p>
            <ul class="undo-changes">
              <For each={summaryOf(found().operations)}>{(text) => <li dir="auto">{text}</li>}</For>
              <Show when={found().operationCount > found().operations.length}>
                <li>{t("And {count} more", { count: found().operationCount - found().operations.length })}</li>
              </Show>
            </ul>
          </Show>
        )}
      </Show>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {isNothingLeft() ? t("Close") : t("Cancel")}
        </button>
        <Show when={!isNothingLeft()}>
          <button type="button" class="button is-main" disabled={!plan() || isRunning()} onClick={() => void undo()}>
            {t("Undo changes")}
          </button>
        </Show>
      </div>
    </Modal>
  );
}
