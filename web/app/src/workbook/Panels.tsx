/** The panel beside the sheet; each is loaded when it is first opened. */

import { type Component, Show } from "solid-js";
import { type Message, t } from "../language/language.ts";
import { LazyState, part, LoadError } from "../components/lazy.tsx";
import { Panel } from "../components/Panel.tsx";
import type { WorkbookModel } from "../state/workbook-model.ts";
import type { PanelName } from "../state/signals.ts";

interface Shown {
  /** Where it could not be loaded. */
  readonly title: Message;
  readonly Part: Component<{ readonly model: WorkbookModel }>;
}

const PANELS: Readonly<Record<PanelName, Shown>> = {
  chart: { title: "Chart", Part: part(() => import("../charts/ChartPanel.tsx").then((module) => module.default)) },
  chat: { title: "Chat", Part: part(() => import("../chat/ChatPanel.tsx").then((module) => module.default)) },
  comments: { title: "Comments", Part: part(() => import("../comments/CommentsPanel.tsx").then((module) => module.default)) },
  history: { title: "History", Part: part(() => import("../history/HistoryPanel.tsx").then((module) => module.default)) },
  image: { title: "Image", Part: part(() => import("../images/ImagePanel.tsx").then((module) => module.default)) },
  statistics: { title: "Column statistics", Part: part(() => import("../data/statistics/StatisticsPanel.tsx").then((module) => module.default)) },
};

export function Panels(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  return (
    <Show when={model.panel()} keyed>
      {(name) => {
        const { title, Part } = PANELS[name];
        const missing = (again: () => void) => (
          <Panel title={t(title)} onClose={() => model.closePanel()}>
            <LoadError onAgain={again} />
          </Panel>
        );
        return (
          <LazyState failed={missing}>
            <Part model={model} />
          </LazyState>
        );
      }}
    </Show>
  );
}
