/** What lies over the cells of a sheet, for paper: charts and images. */

import { type Axis, type Cell, contains, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { Session } from "@quadrille/session";
import { chartFields, chartOption, DEFAULT_CHART_SIZE, type ChartTheme } from "../charts/index.ts";
import { imageUrl } from "../images/index.ts";

export interface Picture {
  readonly item: ItemDetails;
  readonly cell: Cell;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly width: number;
  readonly height: number;
  /** As large as fits in there, in its own proportions. */
  readonly isFitted: boolean;
}

/** Dots of a chart's picture to a CSS pixel: 192 to the inch. */
const DENSITY = 2;

/** Round a picture in a cell. */
const CELL_GAP_PX = 2;

export function drawingsOf(items: readonly ItemDetails[], rows: Axis, columns: Axis): readonly Picture[] {
  return items.flatMap((item): readonly Picture[] => {
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

/** On the sheet, in CSS pixels from its first cell. */
export function imageBox(picture: Picture, rows: Axis, columns: Axis) {
  const { cell, offsetX, offsetY, width, height } = picture;
  return { x: columns.offset(cell.column) + offsetX, y: rows.offset(cell.row) + offsetY, width, height };
}

/** Draws each picture once, however many pages it is on. */
export class PictureDrawer {
  private readonly room: string;
  private readonly session: Session;
  private readonly look: ChartTheme;
  private readonly drawn = new Map<number, Promise<string | undefined>>();

  constructor(room: string, session: Session, look: ChartTheme) {
    this.room = room;
    this.session = session;
    this.look = look;
  }

  /** An address of the picture; `undefined` when there is nothing to show. */
  draw(sheet: number, picture: Picture): Promise<string | undefined> {
    const { id } = picture.item;
    const known = this.drawn.get(id) ?? this.make(sheet, picture);
    this.drawn.set(id, known);
    return known;
  }

  private async make(sheet: number, { item, width, height }: Picture): Promise<string | undefined> {
    if (item.kind === "image") {
      const url = imageUrl(this.room, item);
      return url === undefined ? undefined : inside(url);
    }
    const [series, { init }] = await Promise.all([
      this.session.query({ type: "chartSeries", sheet, item: item.id }),
      import("../charts/echarts.ts"),
    ]);
    const place = document.createElement("div");
    const drawing = init(place, undefined, { renderer: "canvas", width, height, devicePixelRatio: DENSITY });
    try {
      drawing.setOption({ ...chartOption(chartFields(item.fields), series, this.look), animation: false });
      return drawing.getDataURL({ pixelRatio: DENSITY, backgroundColor: "#ffffff" });
    } finally {
      drawing.dispose();
    }
  }
}

/** Its bytes as an address: a page is printed at once, and may not wait for them then. */
async function inside(url: string): Promise<string | undefined> {
  const response = await fetch(url).catch(() => undefined);
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
