/** The ECharts components that the charts use: a chunk of its own, loaded with the first chart. */

import { BarChart, LineChart, PieChart, RadarChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendScrollComponent, RadarComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([
  BarChart,
  GridComponent,
  LegendScrollComponent,
  LineChart,
  PieChart,
  RadarChart,
  RadarComponent,
  ScatterChart,
  CanvasRenderer,
  TitleComponent,
  TooltipComponent,
]);

export { init };
