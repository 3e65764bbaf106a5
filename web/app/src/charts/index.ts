/**
 * Charts: inserting them, and drawing them on paper. `ChartFrame.tsx` and `ChartPanel.tsx` are
 * loaded with the first chart.
 */

export { chartFields, chartOption, type ChartTheme } from "./chart-options.ts";
export { paperChartTheme } from "./chart-theme.ts";
export { DEFAULT_CHART_SIZE } from "./default-size.ts";
export { loadECharts } from "./load-echarts.ts";
export { insertChart } from "./insert-chart.ts";
