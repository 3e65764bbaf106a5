/** The ECharts components of maps beside those of `echarts-more.ts`: loaded with the first map. */

import { MapChart } from "echarts/charts";
import { registerMap, use } from "echarts/core";

use([MapChart]);

export { registerMap };
