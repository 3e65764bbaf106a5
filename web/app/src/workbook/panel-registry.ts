/**
 * The panels beside the sheet. A new panel is one file with a component, and one line here: the key
 * is the name that `model.openPanel` takes.
 */

import type { Component } from "solid-js";
import type { Message } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/**
 * One panel: how its component is loaded, and the title that stands above the error when it cannot
 * be loaded.
 */
interface Registration {
  readonly title: Message;
  readonly load: () => Promise<Component<{ readonly model: WorkbookModel }>>;
}

const registry = {
  chart: { title: "Chart", load: () => import("../charts/ChartPanel.tsx").then((module) => module.ChartPanel) },
  chat: { title: "Chat", load: () => import("../chat/ChatPanel.tsx").then((module) => module.ChatPanel) },
  cleanUp: { title: "Clean-up suggestions", load: () => import("../data-cleanup/CleanUpPanel.tsx").then((module) => module.CleanUpPanel) },
  comments: { title: "Comments", load: () => import("../comments/CommentsPanel.tsx").then((module) => module.CommentsPanel) },
  history: { title: "History", load: () => import("../history/HistoryPanel.tsx").then((module) => module.HistoryPanel) },
  image: { title: "Image", load: () => import("../images/ImagePanel.tsx").then((module) => module.ImagePanel) },
  notifications: { title: "Notifications", load: () => import("../comments/NotificationsPanel.tsx").then((module) => module.NotificationsPanel) },
  pivotTable: { title: "Pivot table", load: () => import("../pivot-tables/PivotPanel.tsx").then((module) => module.PivotPanel) },
  slicer: { title: "Slicer", load: () => import("../slicers/SlicerPanel.tsx").then((module) => module.SlicerPanel) },
  statistics: { title: "Column statistics", load: () => import("../statistics/StatisticsPanel.tsx").then((module) => module.StatisticsPanel) },
  suggestions: { title: "Suggestions|of edits", load: () => import("../suggestions/SuggestionsPanel.tsx").then((module) => module.SuggestionsPanel) },
  watch: { title: "Watch window", load: () => import("../watch/WatchPanel.tsx").then((module) => module.WatchPanel) },
} as const;

/** The name of a panel. */
export type PanelName = keyof typeof registry;

/** Every panel by its name. */
export const PANELS: Readonly<Record<PanelName, Registration>> = registry;
