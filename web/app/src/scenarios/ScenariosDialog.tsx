/** The dialog "Scenarios": named sets of values for cells of the sheet. */

import { createResource, createSignal, For, Match, Show, Switch } from "solid-js";
import { Icon, Modal } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { ScenarioForm } from "./ScenarioForm.tsx";
import { type Scenario, scenariosOf, showCommand } from "./scenarios.ts";
import { SummaryForm } from "./SummaryForm.tsx";
import "../style/scenarios.css";

/** What the dialog shows: the list, the form of a scenario, or the form of the summary. */
type View = { readonly type: "list" } | { readonly type: "form"; readonly scenario: Scenario | undefined } | { readonly type: "summary" };

/** The dialog "Scenarios". */
export function ScenariosDialog(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const sheet = model.sheetId();
  const [scenarios, { refetch }] = createResource(async () => scenariosOf(await model.session.query({ type: "items", sheet })));
  const [view, setView] = createSignal<View>({ type: "list" });
  const [shown, setShown] = createSignal<string>();
  const list = (): readonly Scenario[] => scenarios() ?? [];
  const form = () => {
    const current = view();
    return current.type === "form" ? current : undefined;
  };
  const back = (): void => {
    // The worker handles messages in order, so the query comes after the command.
    void refetch();
    setView({ type: "list" });
  };

  return (
    <Modal isOpen isWide title={t("Scenarios")} onClose={() => model.closeDialog()}>
      <Switch>
        <Match when={form()} keyed>
          {({ scenario }) => <ScenarioForm model={model} sheet={sheet} scenario={scenario} others={list().filter((other) => other !== scenario)} onClose={back} />}
        </Match>
        <Match when={view().type === "summary"}>
          <SummaryForm model={model} sheet={sheet} scenarios={list()} onCancel={() => setView({ type: "list" })} />
        </Match>
        <Match when={view().type === "list"}>
          <ul class="names">
            <For each={list()} fallback={<li class="names-none">{t("There are no scenarios on this sheet yet. A scenario stores values of cells, to compare their results.")}</li>}>
              {(scenario) => (
                <li>
                  <div class="scenario">
                    <strong dir="auto">{scenario.name}</strong>
                    <Show when={scenario.comment !== ""}>
                      <span dir="auto">{scenario.comment}</span>
                    </Show>
                  </div>
                  <Show when={model.canType()}>
                    <button
                      type="button"
                      class="button is-compact"
                      aria-label={t("Show scenario {name}", { name: scenario.name })}
                      onClick={() => {
                        model.command(showCommand(scenario, sheet));
                        setShown(scenario.name);
                      }}
                    >
                      {t("Show|a scenario")}
                    </button>
                    <button type="button" class="tool is-small" aria-label={t("Change {name}", { name: scenario.name })} onClick={() => setView({ type: "form", scenario })}>
                      <Icon name="edit" />
                    </button>
                    <button
                      type="button"
                      class="tool is-small"
                      aria-label={t("Remove {name}", { name: scenario.name })}
                      onClick={() => {
                        model.command({ type: "removeItem", sheet, item: scenario.id });
                        void refetch();
                      }}
                    >
                      <Icon name="trash" />
                    </button>
                  </Show>
                </li>
              )}
            </For>
          </ul>
          <p role="status">{shown() === undefined ? "" : t("The cells have the values of “{name}”.", { name: shown() ?? "" })}</p>
          <Show when={model.canType()}>
            <div class="modal-buttons">
              <button type="button" class="button" disabled={list().length === 0} onClick={() => setView({ type: "summary" })}>
                {t("Summary…")}
              </button>
              <button type="button" class="button is-main" onClick={() => setView({ type: "form", scenario: undefined })}>
                {t("Add scenario")}
              </button>
            </div>
          </Show>
        </Match>
      </Switch>
    </Modal>
  );
}
