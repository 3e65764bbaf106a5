/** The panel beside the sheet; each is loaded when it is first opened. */

import { lazy, Match, Suspense, Switch } from "solid-js";
import type { WorkbookModel } from "./model.ts";

const ChartPanel = lazy(() => import("../charts/ChartPanel.tsx"));
const ChatPanel = lazy(() => import("../chat/ChatPanel.tsx"));
const CommentsPanel = lazy(() => import("../comments/CommentsPanel.tsx"));
const ImagePanel = lazy(() => import("../images/ImagePanel.tsx"));
const StatisticsPanel = lazy(() => import("../statistics/StatisticsPanel.tsx"));
const HistoryPanel = lazy(() => import("../history/HistoryPanel.tsx"));

export function Panels(props: { readonly model: WorkbookModel }) {
  return (
    <Suspense>
      <Switch>
        <Match when={props.model.panel() === "chart"}>
          <ChartPanel model={props.model} />
        </Match>
        <Match when={props.model.panel() === "chat"}>
          <ChatPanel model={props.model} />
        </Match>
        <Match when={props.model.panel() === "image"}>
          <ImagePanel model={props.model} />
        </Match>
        <Match when={props.model.panel() === "comments"}>
          <CommentsPanel model={props.model} />
        </Match>
        <Match when={props.model.panel() === "statistics"}>
          <StatisticsPanel model={props.model} />
        </Match>
        <Match when={props.model.panel() === "history"}>
          <HistoryPanel model={props.model} />
        </Match>
      </Switch>
    </Suspense>
  );
}
