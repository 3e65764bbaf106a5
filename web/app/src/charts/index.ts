export { chartFields, chartOption, type Look } from "./chart-options.ts";
export { DEFAULT_SIZE } from "./default-size.ts";
export { insertChart } from "./insert-chart.ts";
