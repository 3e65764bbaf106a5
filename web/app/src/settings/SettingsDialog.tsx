/**
 * The dialog "Workbook settings": date system and iterative calculation, which apply to all sheets
 * and people.
 */

import type { ItemValue } from "@quadrille/protocol";
import { createResource, Show } from "solid-js";
import { t } from "../language/index.ts";
import { DialogButtons, Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** Defaults of the engine. */
const ITERATIONS_DEFAULT = 100;
const CHANGE_DEFAULT = 0.001;
/** Item identifier of the workbook settings. */
const SETTINGS = 0;

type Settings = Readonly<Record<string, ItemValue | undefined>>;

async function querySettings(model: WorkbookModel): Promise<Settings> {
  const items = await model.session.query({ type: "items", sheet: null });
  return items.find(({ kind }) => kind === "workbookSettings")?.fields ?? {};
}

/** The dialog "Workbook settings". */
export function SettingsDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [settings] = createResource(() => querySettings(model));
  return (
    <Modal isOpen title={t("Workbook settings")} onClose={() => model.closeDialog()}>
      <Show when={settings()}>{(loaded) => <SettingsForm model={model} settings={loaded()} />}</Show>
    </Modal>
  );
}

function SettingsForm(props: { readonly model: WorkbookModel; readonly settings: Settings }) {
  const { model, settings } = props;
  const apply = (form: HTMLFormElement): void => {
    const data = new FormData(form);
    const iterative = data.get("iterative") !== null;
    /** Default values are not stored. */
    const number = (name: string, defaultValue: number): number | null => {
      const value = Number(data.get(name));
      return iterative && Number.isFinite(value) && value !== defaultValue ? value : null;
    };
    model.command({
      type: "setItem",
      sheet: null,
      item: SETTINGS,
      fields: {
        date1904: data.get("dates") === "1904" ? true : null,
        iterative: iterative ? true : null,
        maxIterations: number("iterations", ITERATIONS_DEFAULT),
        maxChange: number("change", CHANGE_DEFAULT),
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
          {t("1904 date system")}
        </label>
        <p>{t("Stored numbers do not change, so all existing dates shift by four years and one day.")}</p>
      </fieldset>
      <fieldset class="choices">
        <legend>{t("Circular references")}</legend>
        <label class="check">
          <input type="checkbox" name="iterative" checked={settings["iterative"] === true} />
          {t("Iterative calculation")}
        </label>
        <label class="form-label">
          {t("Maximum iterations")}
          <input class="field" type="number" name="iterations" min={1} max={32_767} step={1} required value={Number(settings["maxIterations"] ?? ITERATIONS_DEFAULT)} />
        </label>
        <label class="form-label">
          {t("Maximum change")}
          <input class="field" type="number" name="change" min={0} step="any" required value={Number(settings["maxChange"] ?? CHANGE_DEFAULT)} />
        </label>
      </fieldset>
      <DialogButtons onCancel={() => model.closeDialog()} />
    </form>
  );
}
