/**
 * The bare canvas to which the grid is compared: the same cells and styles under a native scroll
 * container, read from one typed array, without selection, clipping, overflow, merged cells or
 * worker.
 */

export const ROWS = 1_000_000;
export const COLUMNS = 26;
export const ROW_HEIGHT_PX = 22;
export const COLUMN_WIDTH_PX = 96;

/** Styles of the columns, repeated; the workbook gets the same formats. */
export const STYLES = [
  {},
  { bold: true },
  { italic: true, textColor: "#1d4a8a" },
  { fillColor: "#fff2cc" },
  { bold: true, fillColor: "#d9ead3", textColor: "#2f6b1f" },
] as const;

/** Sets up and paints the canvas; runs in the page. */
export function drawReference(setting: {
  rows: number;
  columns: number;
  rowHeightPx: number;
  columnWidthPx: number;
  styles: readonly { bold?: boolean; italic?: boolean; textColor?: string; fillColor?: string }[];
}): void {
  const { rows, columns, rowHeightPx, columnWidthPx, styles } = setting;
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      values[row * columns + column] = (row + 1) * (column + 1);
    }
  }
  document.body.style.cssText = "margin:0;overflow:hidden";
  const canvas = document.createElement("canvas");
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  canvas.style.cssText = "position:absolute;inset:0";
  const scroller = document.createElement("div");
  scroller.className = "grid-scroller";
  scroller.style.cssText = "position:absolute;inset:0;overflow:auto";
  const spacer = document.createElement("div");
  // Firefox scrolls nothing that is higher than 17.9 million pixels. No measurement reaches the rows below that.
  spacer.style.cssText = `width:${columns * columnWidthPx}px;height:${Math.min(rows * rowHeightPx, 16_000_000)}px`;
  scroller.append(spacer);
  document.body.append(canvas, scroller);
  const found = canvas.getContext("2d", { alpha: false });
  if (!found) {
    throw new Error("no canvas");
  }
  const context = found;
  const family = '"Inter", "Segoe UI", system-ui, sans-serif';
  const fonts = styles.map(({ bold, italic }) => `${italic ? "italic " : ""}${bold ? "700 " : ""}13px ${family}`);
  let frame = 0;
  const paint = (): void => {
    frame = 0;
    const top = scroller.scrollTop;
    const first = Math.floor(top / rowHeightPx);
    const last = Math.min(rows - 1, Math.floor((top + innerHeight) / rowHeightPx));
    const shown = Math.min(columns, Math.ceil(innerWidth / columnWidthPx));
    context.fillStyle = "#fff";
    context.fillRect(0, 0, innerWidth, innerHeight);
    for (let column = 0; column < shown; column += 1) {
      const fill = styles[column % styles.length]?.fillColor;
      if (fill) {
        context.fillStyle = fill;
        context.fillRect(column * columnWidthPx, 0, columnWidthPx, innerHeight);
      }
    }
    context.fillStyle = "#ddd";
    for (let row = first; row <= last; row += 1) {
      context.fillRect(0, (row + 1) * rowHeightPx - top, innerWidth, 1);
    }
    for (let column = 0; column < shown; column += 1) {
      context.fillRect((column + 1) * columnWidthPx - 1, 0, 1, innerHeight);
    }
    context.textAlign = "right";
    for (let column = 0; column < shown; column += 1) {
      context.font = fonts[column % fonts.length] ?? "";
      context.fillStyle = styles[column % styles.length]?.textColor ?? "#111";
      for (let row = first; row <= last; row += 1) {
        const x = (column + 1) * columnWidthPx - 4;
        context.fillText(String(values[row * columns + column]), x, (row + 1) * rowHeightPx - top - 6);
      }
    }
  };
  scroller.addEventListener("scroll", () => {
    frame ||= requestAnimationFrame(paint);
  });
  paint();
}
