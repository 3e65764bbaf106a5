/** What lies over the cells of a sheet, for paper: charts and images. */

import { type Axis, type Cell, parseRange } from "@quadrille/grid";
import type { ItemDetails } from "@quadrille/protocol";
import type { Session } from "@quadrille/session";
import { chartFields, chartOption, type Look } from "../charts/options.ts";
import { DEFAULT_SIZE } from "../charts/size.ts";

export interface Picture {
  readonly item: ItemDetails;
  readonly cell: Cell;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly width: number;
  readonly height: number;
}

/** Dots of a chart's picture to a CSS pixel: 192 to the inch. */
const DENSITY = 2;

export function picturesOf(items: readonly ItemDetails[], rows: Axis, columns: Axis): readonly Picture[] {
  return items.flatMap((item) => {
    const anchor = parseRange(item.anchors[0] ?? "");
    const isShown = item.kind === "chart" || (item.kind === "image" && item.fields["inCell"] !== true);
    if (!anchor || !isShown || rows.isHidden(anchor.top) || columns.isHidden(anchor.left)) {
      return [];
    }
    const number = (name: string, otherwise: number): number => {
      const value = item.fields[name];
      return typeof value === "number" ? value : otherwise;
    };
    return {
      item,
      cell: { row: anchor.top, column: anchor.left },
      offsetX: number("offsetX", 0),
      offsetY: number("offsetY", 0),
      width: number("width", DEFAULT_SIZE.width),
      height: number("height", DEFAULT_SIZE.height),
    };
  });
}

/** On the sheet, in CSS pixels from its first cell. */
export function pictureBox(picture: Picture, rows: Axis, columns: Axis) {
  const { cell, offsetX, offsetY, width, height } = picture;
  return { x: columns.offset(cell.column) + offsetX, y: rows.offset(cell.row) + offsetY, width, height };
}

/** Draws each picture once, however many pages it is on. */
export class PictureDrawer {
  private readonly session: Session;
  private readonly look: Look;
  private readonly drawn = new Map<number, Promise<string | undefined>>();

  constructor(session: Session, look: Look) {
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
      const source = item.fields["source"];
      return typeof source === "string" && /^(data:image\/|blob:)/.test(source) ? source : undefined;
    }
    const [series, { init }] = await Promise.all([
      this.session.ask({ type: "chartSeries", sheet, item: item.id }),
      import("../charts/drawing.ts"),
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
