/** The ECharts components of chart types and error bars that few charts have: loaded with the first of them. */

import { BoxplotChart, CandlestickChart, CustomChart, FunnelChart, GaugeChart, HeatmapChart, TreemapChart } from "echarts/charts";
import { VisualMapContinuousComponent } from "echarts/components";
import { use } from "echarts/core";

use([BoxplotChart, CandlestickChart, CustomChart, FunnelChart, GaugeChart, HeatmapChart, TreemapChart, VisualMapContinuousComponent]);
