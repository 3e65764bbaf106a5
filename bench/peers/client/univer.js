/** 38,000 rows of 26 styled numbers in Univer (its open-source part), which stores each cell as an object, so that a million rows do not fit. */

import "@univerjs/preset-sheets-core/lib/index.css";
import { UniverSheetsCorePreset } from "@univerjs/preset-sheets-core";
import english from "@univerjs/preset-sheets-core/locales/en-US";
import { createUniver, LocaleType, mergeLocales } from "@univerjs/presets";

const ROWS = 38_000;
const COLUMNS = 26;
const cellData = {};
for (let row = 0; row < ROWS; row += 1) {
  const cells = {};
  for (let column = 0; column < COLUMNS; column += 1) {
    cells[column] = { v: (row + 1) * (column + 1), t: 2, s: `style${column % 5}` };
  }
  cellData[row] = cells;
}
const styles = {
  style0: {},
  style1: { bl: 1 },
  style2: { it: 1, cl: { rgb: "#1d4a8a" } },
  style3: { bg: { rgb: "#fff2cc" } },
  style4: { bl: 1, bg: { rgb: "#d9ead3" }, cl: { rgb: "#2f6b1f" } },
};

const { univerAPI } = createUniver({
  locale: LocaleType.EN_US,
  locales: { [LocaleType.EN_US]: mergeLocales(english) },
  presets: [UniverSheetsCorePreset({ container: "root", header: false, toolbar: false, footer: false, formulaBar: false })],
});
univerAPI.createWorkbook({
  id: "book",
  name: "book",
  styles,
  sheetOrder: ["sheet"],
  sheets: {
    sheet: { id: "sheet", name: "Sheet1", rowCount: ROWS, columnCount: COLUMNS, defaultRowHeight: 22, defaultColumnWidth: 96, cellData },
  },
});

/** Univer scrolls by wheel events; what measures sets `scrollTop`. */
class WheelScroller extends HTMLElement {
  #top = 0;
  get scrollTop() {
    return this.#top;
  }
  set scrollTop(top) {
    const canvas = document.querySelector("canvas[id*=univer-sheet-main-canvas]") ?? document.querySelector("canvas");
    canvas.dispatchEvent(
      new WheelEvent("wheel", { deltaY: top - this.#top, clientX: 400, clientY: 400, bubbles: true, cancelable: true }),
    );
    this.#top = top;
  }
}
customElements.define("wheel-scroller", WheelScroller);

const wait = setInterval(() => {
  if (document.querySelector("canvas")) {
    clearInterval(wait);
    const scroller = new WheelScroller();
    scroller.className = "grid-scroller";
    document.body.append(scroller);
    // Where it is: to see that the wheel is heard.
    window.firstRow = () => univerAPI.getActiveWorkbook().getActiveSheet().getScrollState();
    setTimeout(() => {
      window.isReady = true;
    }, 3_000);
  }
}, 100);
