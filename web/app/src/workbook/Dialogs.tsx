/** Shows the open dialog, the alerts of data validation, and that the server closed the session. */

import { type Component, Show } from "solid-js";
import { DialogLoadError, LazyBoundary, lazyComponent } from "../components/index.ts";
import { SessionRefused } from "../connection/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type DialogName, DIALOGS } from "./dialog-registry.ts";

const COMPONENTS = new Map<string, Component<{ readonly model: WorkbookModel }>>(
  Object.entries(DIALOGS).map(([name, { load }]) => [name, lazyComponent(load)]),
);

const EntryAlerts = lazyComponent(() => import("../validation/EntryAlerts.tsx").then((module) => module.EntryAlerts));

/** The dialogs of a workbook; each is loaded when it is first opened. */
export function Dialogs(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <>
      <Show when={model.dialog()} keyed>
        {(name) => (
          <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => model.closeDialog()} />}>
            <OpenDialog name={name} model={model} />
          </LazyBoundary>
        )}
      </Show>
      <Show when={model.entryChecks.alert()}>
        <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => model.entryChecks.close()} />}>
          <EntryAlerts model={model} />
        </LazyBoundary>
      </Show>
      <SessionRefused model={model} />
    </>
  );
}

function OpenDialog(props: { readonly name: DialogName; readonly model: WorkbookModel }) {
  const Dialog = COMPONENTS.get(props.name);
  return Dialog && <Dialog model={props.model} />;
}
