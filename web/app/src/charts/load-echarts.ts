/** Loads ECharts with the components that a chart type needs. */

/** The types drawn by the components of `echarts-more.ts`. */
const MORE: ReadonlySet<string | undefined> = new Set(["waterfall", "funnel", "boxPlot", "treemap"]);

let hasMore = false;

/** Whether charts of a type can be drawn by what `loadECharts` has loaded so far, beside the common types. */
function isTypeLoaded(type: string | undefined): boolean {
  return hasMore || !MORE.has(type);
}

/**
 * Whether the components of all types are loaded. A drawing only knows those that were loaded before it
 * was created.
 */
export function hasAllTypes(): boolean {
  return hasMore;
}

/** Rejects when the code cannot be loaded. */
export async function loadECharts(type: string | undefined): Promise<typeof import("./echarts.ts")> {
  const [echarts] = await Promise.all([import("./echarts.ts"), isTypeLoaded(type) ? undefined : import("./echarts-more.ts")]);
  hasMore ||= MORE.has(type);
  return echarts;
}
