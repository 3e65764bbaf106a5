/** Downloads charts as images. */

import type { ItemDetails } from "@quadrille/protocol";
import type { EChartsCoreOption } from "echarts/core";
import { t } from "../language/index.ts";
import { saveFile, titleAsFileName } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { type ChartFields, chartFields, chartOption, describeChart } from "./chart-options.ts";
import { CHART_TEXTS, paperChartTheme } from "./chart-theme.ts";
import { DEFAULT_CHART_SIZE } from "./default-size.ts";
import { loadECharts } from "./load-echarts.ts";
import { withDensity } from "./png-density.ts";
import { svgWithDescription } from "./svg-description.ts";

/** The format of an image. */
export type ImageFormat = "png" | "svg";

/** Pixels per CSS pixel of a PNG file: sharp on paper and on screens of high density. */
const DENSITY = 2;

/**
 * Downloads a chart of the current sheet as an image: with the current data, in the size that it has at
 * 100 %, and on white, whatever the color scheme. Rejects when its code cannot be loaded.
 */
export async function downloadChart(model: WorkbookModel, item: ItemDetails, format: ImageFormat): Promise<void> {
  const fields = chartFields(item.fields);
  const [series] = await Promise.all([model.session.query({ type: "chartSeries", sheet: model.sheetId(), item: item.id }), loadECharts(fields)]);
  const theme = paperChartTheme();
  const option: EChartsCoreOption = { ...chartOption(fields, series, theme), animation: false, backgroundColor: theme.paper };
  const size = { width: fields.width ?? DEFAULT_CHART_SIZE.width, height: fields.height ?? DEFAULT_CHART_SIZE.height };
  const name = fields.title || t("Chart");
  const file = format === "png" ? await png(fields, option, size) : await svg(fields, option, size, { title: name, description: describeChart(fields, series, CHART_TEXTS) });
  saveFile(file, `${titleAsFileName(name) || t("Chart")}.${format}`);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

async function png(fields: ChartFields, option: EChartsCoreOption, size: Size): Promise<Blob> {
  const { init } = await loadECharts(fields);
  const drawing = init(document.createElement("div"), undefined, { renderer: "canvas", ...size, devicePixelRatio: DENSITY });
  try {
    drawing.setOption(option);
    const canvas = drawing.renderToCanvas({ pixelRatio: DENSITY });
    const drawn = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!drawn) {
      throw new Error("the browser cannot encode an image of this size");
    }
    return new Blob([withDensity(new Uint8Array(await drawn.arrayBuffer()), DENSITY).buffer as ArrayBuffer], { type: "image/png" });
  } finally {
    drawing.dispose();
  }
}

async function svg(fields: ChartFields, option: EChartsCoreOption, size: Size, texts: { readonly title: string; readonly description: string }): Promise<Blob> {
  const [{ init }] = await Promise.all([import("./echarts-svg.ts"), loadECharts(fields)]);
  // Rendered as text, without elements of the page.
  const drawing = init(null, undefined, { renderer: "svg", ssr: true, ...size });
  try {
    drawing.setOption(option);
    return new Blob([svgWithDescription(drawing.renderToSVGString(), texts)], { type: "image/svg+xml" });
  } finally {
    drawing.dispose();
  }
}
