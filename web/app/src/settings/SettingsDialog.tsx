/** How the workbook counts days and calculates circles: what holds for all its sheets and everybody. */

import type { ItemValue } from "@quadrille/protocol";
import { createResource, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** As the core has them when nothing else is set. */
const ITERATIONS = 100;
const CHANGE = 0.001;
/** The identity of settings among items. */
const SETTINGS = 0;

type Settings = Readonly<Record<string, ItemValue | undefined>>;

async function askSettings(model: WorkbookModel): Promise<Settings> {
  const items = await model.session.query({ type: "items", sheet: null });
  return items.find(({ kind }) => kind === "workbookSettings")?.fields ?? {};
}

export function SettingsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [settings] = createResource(() => askSettings(model));
  return (
    <Modal isOpen title={t("Workbook settings")} onClose={() => model.closeDialog()}>
      <Show when={settings()}>{(known) => <SettingsForm model={model} settings={known()} />}</Show>
    </Modal>
  );
}

function SettingsForm(props: { readonly model: WorkbookModel; readonly settings: Settings }) {
  const { model, settings } = props;
  const apply = (form: HTMLFormElement): void => {
    const given = new FormData(form);
    const iterative = given.get("iterative") !== null;
    /** Nothing is kept of what is as usual. */
    const number = (name: string, usual: number): number | null => {
      const value = Number(given.get(name));
      return iterative && Number.isFinite(value) && value !== usual ? value : null;
    };
    model.command({
      type: "setItem",
      sheet: null,
      item: SETTINGS,
      fields: {
        date1904: given.get("dates") === "1904" ? true : null,
        iterative: iterative ? true : null,
        maxIterations: number("iterations", ITERATIONS),
        maxChange: number("change", CHANGE),
      },
    });
    model.closeDialog();
  };
  const is1904 = settings["date1904"] === true;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      <fieldset class="choices">
        <legend>{t("Date system")}</legend>
        <label class="check">
          <input type="radio" name="dates" value="1900" checked={!is1904} />
          {t("1900 date system")}
        </label>
        <label class="check">
          <input type="radio" name="dates" value="1904" checked={is1904} />
          {t("1904 date system (allows negative times)")}
        </label>
        <p>{t("Numbers stay as they are: changing this moves all dates that are there by four years and a day.")}</p>
      </fieldset>
      <fieldset class="choices">
        <legend>{t("Circular references")}</legend>
        <label class="check">
          <input type="checkbox" name="iterative" checked={settings["iterative"] === true} />
          {t("Iterative calculation")}
        </label>
        <label class="form-line">
          {t("Maximum iterations")}
          <input class="field" type="number" name="iterations" min={1} max={32_767} step={1} required value={Number(settings["maxIterations"] ?? ITERATIONS)} />
        </label>
        <label class="form-line">
          {t("Maximum change")}
          <input class="field" type="number" name="change" min={0} step="any" required value={Number(settings["maxChange"] ?? CHANGE)} />
        </label>
      </fieldset>
      <DialogButtons onCancel={() => model.closeDialog()} />
    </form>
  );
}
