/** The code and data that maps need, which are loaded with the first of them. */

import type { registerMap } from "echarts/core";

/** What `map-chart.ts` draws with. */
export interface MapParts {
  readonly registerMap: typeof registerMap;
  readonly countries: typeof import("./countries.ts");
  readonly world: typeof import("./world-map.ts");
}

let parts: MapParts | undefined;

/** The parts; `undefined` before they are loaded. */
export function mapParts(): MapParts | undefined {
  return parts;
}

/** Tells that the parts are loaded. */
export function provideMapParts(loaded: MapParts): void {
  parts = loaded;
}
