/** The dialogs for rejected entries, formulas that cannot be read, and edits of cells whose protection warns. */

import { createSignal, Match, Show, Switch } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { Entry, EntryAlert } from "../editing/index.ts";
import { describeRule, textOf } from "./validation-rules.ts";

/** The open alert, if any. */
export function EntryAlerts(props: { readonly model: WorkbookModel }) {
  const { entryChecks } = props.model;
  const alertOf = <Kind extends EntryAlert["kind"]>(kind: Kind) => {
    const alert = entryChecks.alert();
    return alert?.kind === kind ? (alert as EntryAlert & { readonly kind: Kind }) : undefined;
  };
  return (
    <Switch>
      <Match when={alertOf("rule")} keyed>
        {(alert) => <InvalidEntry model={props.model} alert={alert} />}
      </Match>
      <Match when={alertOf("formula")} keyed>
        {({ entry }) => <InvalidFormula model={props.model} entry={entry} />}
      </Match>
      <Match when={alertOf("lock")} keyed>
        {(alert) => <ProtectionWarning model={props.model} alert={alert} />}
      </Match>
    </Switch>
  );
}

function InvalidEntry(props: { readonly model: WorkbookModel; readonly alert: EntryAlert & { readonly kind: "rule" } }) {
  const { entryChecks } = props.model;
  const { rule, entry } = props.alert;
  const strictness = textOf(rule.fields["strictness"]) || "stop";
  const message = textOf(rule.fields["errorMessage"]) || describeRule(rule);
  const title = textOf(rule.fields["errorTitle"]) || t("Invalid value");
  return (
    <Modal isOpen title={title} onClose={() => entryChecks.close()}>
      <p>
        <bdi>{message}</bdi>
      </p>
      <p class="entered">{t("You typed: {text}", { text: entry.text })}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => entryChecks.close()}>
          {t("Discard")}
        </button>
        <Show when={strictness !== "stop"}>
          <button
            type="button"
            class="button"
            classList={{ "is-main": strictness === "information" }}
            onClick={() => entryChecks.enterAnyway(entry)}
          >
            {t("Enter anyway")}
          </button>
        </Show>
        <button type="button" class="button" classList={{ "is-main": strictness !== "information" }} onClick={() => entryChecks.reopenEdit(entry)}>
          {t("Edit again")}
        </button>
      </div>
    </Modal>
  );
}

function InvalidFormula(props: { readonly model: WorkbookModel; readonly entry: Entry }) {
  const { entryChecks } = props.model;
  return (
    <Modal isOpen title={t("This is not a valid formula.")} onClose={() => entryChecks.close()}>
      <p class="entered">{t("You typed: {text}", { text: props.entry.text })}</p>
      <p>{t("To enter a text that begins with =, type an apostrophe (') before it.")}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => entryChecks.close()}>
          {t("Discard")}
        </button>
        <button type="button" class="button" onClick={() => entryChecks.enterAsText(props.entry)}>
          {t("Enter as text")}
        </button>
        <button type="button" class="button is-main" onClick={() => entryChecks.reopenEdit(props.entry)}>
          {t("Edit again")}
        </button>
      </div>
    </Modal>
  );
}

function ProtectionWarning(props: { readonly model: WorkbookModel; readonly alert: EntryAlert & { readonly kind: "lock" } }) {
  const { entryChecks } = props.model;
  const [asksAgain, setAsksAgain] = createSignal(true);
  const description = textOf(props.alert.lock.fields["description"]);
  return (
    <Modal isOpen title={t("Edit these cells?")} onClose={() => entryChecks.close()}>
      <p>{t("They are protected against accidental changes.")}</p>
      <Show when={description !== ""}>
        <p>
          <bdi>{description}</bdi>
        </p>
      </Show>
      <label class="check">
        <input type="checkbox" onChange={(event) => setAsksAgain(!event.currentTarget.checked)} />
        {t("Do not ask again for five minutes")}
      </label>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => entryChecks.close()}>
          {t("Cancel")}
        </button>
        <button type="button" class="button is-main" onClick={() => entryChecks.proceed(props.alert.proceed, asksAgain())}>
          {t("Edit anyway")}
        </button>
      </div>
    </Modal>
  );
}
