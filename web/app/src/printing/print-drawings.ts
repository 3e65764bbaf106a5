/** Charts and images for printing. */

import { type Axis, type Cell, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { Session } from "@quadrille/session";
import { chartFields, chartOption, DEFAULT_CHART_SIZE, type ChartTheme, loadECharts } from "../charts/index.ts";
import { roomFetch } from "../access/index.ts";
import { imageUrl } from "../images/index.ts";

/** A drawing with its anchor cell and size. */
export interface PrintedDrawing {
  readonly item: ItemDetails;
  readonly cell: Cell;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly width: number;
  readonly height: number;
  /** Whether the image is scaled to fit into the box, keeping its proportions. */
  readonly isFitted: boolean;
}

/** Canvas pixels per CSS pixel of a chart: 192 per inch. */
const DENSITY = 2;

/** Space around an image in a cell. */
const CELL_GAP_PX = 2;

/** The visible drawings of a sheet. */
export function drawingsOf(items: readonly ItemDetails[], rows: Axis, columns: Axis): readonly PrintedDrawing[] {
  return items.flatMap((item): readonly PrintedDrawing[] => {
    const anchor = parseRange(item.anchors[0] ?? "");
    if (!anchor || (item.kind !== "chart" && item.kind !== "image") || rows.isHidden(anchor.top) || columns.isHidden(anchor.left)) {
      return [];
    }
    const cell = { row: anchor.top, column: anchor.left };
    if (item.kind === "image" && item.fields["inCell"] === true) {
      const merges = items.flatMap(({ kind, anchors }) => (kind === "merge" ? (parseRange(anchors[0] ?? "") ?? []) : []));
      const { right, bottom } = merges.find((merge) => contains(merge, cell)) ?? anchor;
      const width = columns.offset(right + 1) - columns.offset(cell.column) - 2 * CELL_GAP_PX;
      const height = rows.offset(bottom + 1) - rows.offset(cell.row) - 2 * CELL_GAP_PX;
      return width > 0 && height > 0
        ? [{ item, cell, offsetX: CELL_GAP_PX, offsetY: CELL_GAP_PX, width, height, isFitted: true }]
        : [];
    }
    const number = (name: string, otherwise: number): number => {
      const value = item.fields[name];
      return typeof value === "number" ? value : otherwise;
    };
    return [
      {
        item,
        cell,
        offsetX: number("offsetX", 0),
        offsetY: number("offsetY", 0),
        width: number("width", DEFAULT_CHART_SIZE.width),
        height: number("height", DEFAULT_CHART_SIZE.height),
        isFitted: false,
      },
    ];
  });
}

/** The box of a drawing in CSS pixels from the first cell of the sheet. */
export function drawingBox(drawing: PrintedDrawing, rows: Axis, columns: Axis) {
  const { cell, offsetX, offsetY, width, height } = drawing;
  return { x: columns.offset(cell.column) + offsetX, y: rows.offset(cell.row) + offsetY, width, height };
}

/** Renders drawings as images, each once, however many pages it is on. */
export class DrawingPainter {
  private readonly room: string;
  private readonly session: Session;
  private readonly theme: ChartTheme;
  private readonly drawn = new Map<string, Promise<string | undefined>>();

  constructor(room: string, session: Session, theme: ChartTheme) {
    this.room = room;
    this.session = session;
    this.theme = theme;
  }

  /** The `data:` address of a drawing; `undefined` if it cannot be drawn. */
  draw(sheet: number, drawing: PrintedDrawing): Promise<string | undefined> {
    // Charts that fill a page have the size of its paper.
    const key = `${sheet} ${drawing.item.id} ${drawing.width} ${drawing.height}`;
    const image = this.drawn.get(key) ?? this.render(sheet, drawing);
    this.drawn.set(key, image);
    return image;
  }

  private async render(sheet: number, { item, width, height }: PrintedDrawing): Promise<string | undefined> {
    if (item.kind === "image") {
      const url = imageUrl(this.room, item);
      return url === undefined ? undefined : dataUrlOf(this.room, url);
    }
    const [series, { init }] = await Promise.all([
      this.session.query({ type: "chartSeries", sheet, item: item.id }),
      loadECharts(chartFields(item.fields)),
    ]);
    const container = document.createElement("div");
    const chart = init(container, undefined, { renderer: "canvas", width, height, devicePixelRatio: DENSITY });
    try {
      chart.setOption({ ...chartOption(chartFields(item.fields), series, this.theme), animation: false });
      return chart.getDataURL({ pixelRatio: DENSITY, backgroundColor: "#ffffff" });
    } finally {
      chart.dispose();
    }
  }
}

/** Loads an image as a `data:` address, as printing does not wait for images to load. */
async function dataUrlOf(room: string, url: string): Promise<string | undefined> {
  const response = await roomFetch(room, url).catch(() => undefined);
  if (!response?.ok) {
    return undefined;
  }
  const blob = await response.blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("loadend", () => resolve(typeof reader.result === "string" ? reader.result : undefined));
    reader.readAsDataURL(blob);
  });
}
