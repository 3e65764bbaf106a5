/** What stands in the way of an entry: its cell's rule, or a protection that warns. */

import { createSignal, Match, Show, Switch } from "solid-js";
import { t } from "../language/index.ts";
import { Modal } from "../components/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import type { EntryAlert } from "../editing/index.ts";
import { describeRule, textOf } from "./validation-rules.ts";

export function EntryAlerts(props: { readonly model: WorkbookModel }) {
  const { entryChecks } = props.model;
  const obstacleOf = <Kind extends EntryAlert["kind"]>(kind: Kind) => {
    const obstacle = entryChecks.alert();
    return obstacle?.kind === kind ? (obstacle as EntryAlert & { readonly kind: Kind }) : undefined;
  };
  return (
    <Switch>
      <Match when={obstacleOf("rule")} keyed>
        {(obstacle) => <BrokenRule model={props.model} obstacle={obstacle} />}
      </Match>
      <Match when={obstacleOf("lock")} keyed>
        {(obstacle) => <Warning model={props.model} obstacle={obstacle} />}
      </Match>
    </Switch>
  );
}

function BrokenRule(props: { readonly model: WorkbookModel; readonly obstacle: EntryAlert & { readonly kind: "rule" } }) {
  const { entryChecks } = props.model;
  const { rule, entry } = props.obstacle;
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

function Warning(props: { readonly model: WorkbookModel; readonly obstacle: EntryAlert & { readonly kind: "lock" } }) {
  const { entryChecks } = props.model;
  const [isAskedAgain, setIsAskedAgain] = createSignal(true);
  const description = textOf(props.obstacle.lock.fields["description"]);
  return (
    <Modal isOpen title={t("Edit these cells?")} onClose={() => entryChecks.close()}>
      <p>{t("They are protected against accidental changes.")}</p>
      <Show when={description !== ""}>
        <p>
          <bdi>{description}</bdi>
        </p>
      </Show>
      <label class="check">
        <input type="checkbox" onChange={(event) => setIsAskedAgain(!event.currentTarget.checked)} />
        {t("Do not ask again for five minutes")}
      </label>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => entryChecks.close()}>
          {t("Cancel")}
        </button>
        <button type="button" class="button is-main" onClick={() => entryChecks.proceed(props.obstacle.proceed, isAskedAgain())}>
          {t("Edit anyway")}
        </button>
      </div>
    </Modal>
  );
}
