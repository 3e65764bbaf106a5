/** The dialog before a download that names what the file leaves out or changes. */

import { For, Show } from "solid-js";
import { DialogButtons, Modal } from "../components/index.ts";
import { showNumber, t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { bySheet, lossPlaces, lossText } from "./losses.ts";
import "../style/downloads.css";
import { downloadsOf } from "./downloads.ts";

/** Lists the losses of the pending download, which is carried out or cancelled. */
export function DownloadDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const pending = downloadsOf(model).pending();
  const close = (): void => {
    model.closeDialog();
    model.focusCells();
  };
  return (
    <Modal isOpen title={t("Download as {format}", { format: `.${pending?.format ?? ""}` })} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          close();
          if (pending) {
            void downloadsOf(model).save(pending.format, pending.sheet);
          }
        }}
      >
        <p class="panel-note">{t("The file will not have everything that is in this workbook:")}</p>
        <div class="loss-groups" tabIndex={0} role="group" aria-label={t("Not in the file")}>
          <For each={bySheet(pending?.losses ?? [])}>
            {(group) => (
              <section>
                <h3 dir="auto">{group.sheet ?? t("Whole workbook")}</h3>
                <ul>
                  <For each={group.losses}>
                    {(loss) => (
                      <li>
                        <strong>{lossText(loss)}</strong>
                        <Show when={loss.count > 1}>
                          <span class="loss-count">{showNumber(loss.count)}</span>
                        </Show>
                        <Show when={lossPlaces(loss).length > 0}>
                          <span class="loss-places">
                            <For each={lossPlaces(loss)}>{(place, index) => <>{index() > 0 ? ", " : ""}<bdi>{place}</bdi></>}</For>
                          </span>
                        </Show>
                      </li>
                    )}
                  </For>
                </ul>
              </section>
            )}
          </For>
          <Show when={pending?.isCutShort}>
            <p class="panel-note">{t("The list is not complete.")}</p>
          </Show>
        </div>
        <DialogButtons onCancel={close} label={t("Download")} />
      </form>
    </Modal>
  );
}
