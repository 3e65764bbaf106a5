/** Shows the open panel beside the sheet. */

import { type Component, Show } from "solid-js";
import { LazyBoundary, lazyComponent, LoadError, Panel } from "../components/index.ts";
import { t } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type PanelName, PANELS } from "./panel-registry.ts";

const COMPONENTS = new Map<string, Component<{ readonly model: WorkbookModel }>>(
  Object.entries(PANELS).map(([name, { load }]) => [name, lazyComponent(load)]),
);

/**
 * The panels of a workbook, of which one is open at a time; each is loaded when it is first opened.
 */
export function Panels(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <Show when={model.panel()} keyed>
      {(name) => {
        const failed = (retry: () => void) => (
          <Panel title={t(PANELS[name].title)} onClose={() => model.closePanel()}>
            <LoadError onRetry={retry} />
          </Panel>
        );
        return (
          <LazyBoundary failed={failed}>
            <OpenPanel name={name} model={model} />
          </LazyBoundary>
        );
      }}
    </Show>
  );
}

function OpenPanel(props: { readonly name: PanelName; readonly model: WorkbookModel }) {
  const Part = COMPONENTS.get(props.name);
  return Part && <Part model={props.model} />;
}
