/** Loads ECharts with the components that a chart needs. */

import type { ChartFields } from "./chart-types.ts";
import { isErrorBars } from "./error-bars.ts";

/** The types drawn by the components of `echarts-more.ts`. */
const MORE: ReadonlySet<string | undefined> = new Set(["waterfall", "funnel", "boxPlot", "treemap", "stock", "heatMap", "gauge"]);

let hasMore = false;

/** Whether a chart needs the components of `echarts-more.ts`. */
export function needsMore(fields: ChartFields): boolean {
  return MORE.has(fields.type) || (fields.series ?? []).some(({ errorBars }) => isErrorBars(errorBars));
}

/**
 * Whether the components of all charts are loaded. A drawing only knows those that were loaded before it
 * was created.
 */
export function hasAllComponents(): boolean {
  return hasMore;
}

/** Rejects when the code cannot be loaded. */
export async function loadECharts(fields: ChartFields): Promise<typeof import("./echarts.ts")> {
  const isMore = needsMore(fields);
  const [echarts] = await Promise.all([import("./echarts.ts"), isMore && !hasMore ? import("./echarts-more.ts") : undefined]);
  hasMore ||= isMore;
  return echarts;
}
