/** Loads ECharts with the components that a chart needs. */

import type { ChartFields } from "./chart-types.ts";
import { isErrorBars } from "./error-bars.ts";
import { provideMapParts } from "./map-parts.ts";

/** Components beside those that most charts have: of `echarts-more.ts`, or of maps as well. */
export type Components = "more" | "map";

/** The types drawn by the components of `echarts-more.ts`. */
const MORE: ReadonlySet<string | undefined> = new Set(["waterfall", "funnel", "boxPlot", "treemap", "stock", "heatMap", "gauge"]);

let loaded: ReadonlySet<Components> = new Set();

/** The further components that a chart needs. */
export function neededComponents(fields: ChartFields): Components | undefined {
  if (fields.type === "map") {
    return "map";
  }
  return MORE.has(fields.type) || (fields.series ?? []).some(({ errorBars }) => isErrorBars(errorBars)) ? "more" : undefined;
}

/**
 * The further components that are loaded. A drawing only knows those that were loaded before it was
 * created.
 */
export function loadedComponents(): ReadonlySet<Components> {
  return loaded;
}

/** Rejects when the code cannot be loaded. */
export async function loadECharts(fields: ChartFields): Promise<typeof import("./echarts.ts")> {
  const needed = neededComponents(fields);
  const [echarts] = await Promise.all([
    import("./echarts.ts"),
    needed && !loaded.has("more") ? import("./echarts-more.ts") : undefined,
    needed === "map" && !loaded.has("map") ? loadMaps() : undefined,
  ]);
  if (needed) {
    loaded = new Set([...loaded, "more", needed]);
  }
  return echarts;
}

async function loadMaps(): Promise<void> {
  const [{ registerMap }, data] = await Promise.all([import("./echarts-map.ts"), import("./map-data.ts")]);
  provideMapParts({ registerMap, ...data });
}
