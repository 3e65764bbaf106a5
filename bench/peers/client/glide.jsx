/** A million rows of 26 styled numbers in Glide Data Grid, from typed arrays. */

import "@glideapps/glide-data-grid/dist/index.css";
import { DataEditor, GridCellKind } from "@glideapps/glide-data-grid";
import { createRoot } from "react-dom/client";

const ROWS = 1_000_000;
const COLUMNS = 26;
const values = new Float64Array(ROWS * COLUMNS);
for (let row = 0; row < ROWS; row += 1) {
  for (let column = 0; column < COLUMNS; column += 1) {
    values[row * COLUMNS + column] = (row + 1) * (column + 1);
  }
}
const styles = [
  {},
  { baseFontStyle: "700 13px" },
  { baseFontStyle: "italic 13px", textDark: "#1d4a8a" },
  { bgCell: "#fff2cc" },
  { baseFontStyle: "700 13px", bgCell: "#d9ead3", textDark: "#2f6b1f" },
];
const columns = Array.from({ length: COLUMNS }, (_, column) => ({
  title: String.fromCharCode(65 + column),
  width: 96,
  themeOverride: styles[column % styles.length],
}));

function getCellContent([column, row]) {
  const value = values[row * COLUMNS + column];
  return { kind: GridCellKind.Number, data: value, displayData: String(value), allowOverlay: true, contentAlign: "right" };
}

createRoot(document.getElementById("root")).render(
  <DataEditor
    columns={columns}
    rows={ROWS}
    getCellContent={getCellContent}
    rowHeight={22}
    rowMarkers="number"
    width={innerWidth}
    height={innerHeight}
  />,
);

const wait = setInterval(() => {
  const scroller = document.querySelector(".dvn-scroller");
  if (scroller) {
    clearInterval(wait);
    scroller.classList.add("grid-scroller");
    window.isReady = true;
  }
}, 100);
