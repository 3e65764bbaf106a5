/** ECharts with the renderer for SVG files: loaded for the first download of one. */

import { use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";

export { init } from "./echarts.ts";

use([SVGRenderer]);
