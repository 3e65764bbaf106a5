/** The ECharts components of chart types that few charts have: loaded with the first of them. */

import { BoxplotChart, CandlestickChart, FunnelChart, TreemapChart } from "echarts/charts";
import { use } from "echarts/core";

use([BoxplotChart, CandlestickChart, FunnelChart, TreemapChart]);
