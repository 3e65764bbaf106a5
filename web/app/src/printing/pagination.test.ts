import assert from "node:assert/strict";
import { test } from "node:test";
import { Axis } from "@quadrille/grid";
import { paginate } from "./pagination.ts";
import { fieldsOf, headersOf, paperPx, type PageSetup, sectionsOf, setupOf, defaultPaper, replaceHeaderCodes } from "./page-setup.ts";

/** A4 without margins is 793.7 × 1122.5 px: 51 rows of 22 px, 8 columns of 96 px. */
const plain: PageSetup = { ...setupOf([], "a4"), margins: { top: 0, right: 0, bottom: 0, left: 0 } };
const rows = new Axis(1_048_576, 22, []);
const columns = new Axis(16_384, 96, []);
const area = (bottom: number, right: number) => [{ top: 0, left: 0, bottom: bottom - 1, right: right - 1 }];

function spans(setup: PageSetup, bottom: number, right: number, downwards: Axis = rows): string[] {
  const pages = paginate(area(bottom, right), downwards, columns, setup);
  return Array.from({ length: pages.count }, (_, index) => {
    const page = pages.page(index);
    const title = page.titleRows ? ` under ${page.titleRows.first}-${page.titleRows.last}` : "";
    return `${page.rows.first}-${page.rows.last} × ${page.columns.first}-${page.columns.last}${title}`;
  });
}

test("paper sizes follow their standards, and the default depends on the country", () => {
  assert.equal(paperPx(plain).width.toFixed(1), "793.7");
  assert.deepEqual(paperPx({ ...plain, paper: "letter", isLandscape: true }), { width: 1056, height: 816 });
  assert.equal(defaultPaper(["en-US"]), "letter");
  assert.equal(defaultPaper(["en", "en-US"]), "letter");
  // The languages of browsers in Germany and Japan.
  assert.equal(defaultPaper(["de", "en-US", "en"]), "a4");
  assert.equal(defaultPaper(["ja", "en-US", "en"]), "a4");
  assert.equal(defaultPaper(["de-AT"]), "a4");
});

test("pages are ordered down, then over", () => {
  assert.deepEqual(spans(plain, 60, 10), ["0-50 × 0-7", "51-59 × 0-7", "0-50 × 8-9", "51-59 × 8-9"]);
});

test("manual page breaks end pages, before hidden rows too", () => {
  const breaks = { ...plain, rowBreaks: [5, 20, 70], columnBreaks: [2] };
  assert.deepEqual(spans(breaks, 60, 4), ["0-4 × 0-1", "5-19 × 0-1", "20-59 × 0-1", "0-4 × 2-3", "5-19 × 2-3", "20-59 × 2-3"]);
  const hidden = Axis.of(1_048_576, 22, [], [{ first: 5, count: 3 }], 1);
  assert.deepEqual(spans(breaks, 30, 1, hidden), ["0-4 × 0-0", "8-19 × 0-0", "20-29 × 0-0"]);
  const pages = paginate(area(60, 4), rows, columns, breaks);
  const ends = Array.from({ length: pages.count }, (_, index) => [pages.page(index).endsAtRowBreak, pages.page(index).endsAtColumnBreak]);
  assert.deepEqual(ends, [[true, true], [true, true], [false, true], [true, false], [true, false], [false, false]]);
});

test("a sheet that is fitted to pages has no manual page breaks, as in Excel", () => {
  assert.deepEqual(spans({ ...plain, rowBreaks: [5], fitToWidth: 1, fitToHeight: 0 }, 20, 2), ["0-19 × 0-1"]);
});

test("page breaks are read from whole rows and columns", () => {
  const item = (anchor: string, id: number) => ({ id, kind: "pageBreak", anchors: [anchor], fields: {} });
  const { rowBreaks, columnBreaks } = setupOf(["21:21", "8:8", "D:D", "8:8", "1:1", "B2"].map(item), "a4");
  assert.deepEqual([rowBreaks, columnBreaks], [[7, 20], [3]]);
});

test("the first page of a sheet and even pages have headers of their own", () => {
  const setup: PageSetup = { ...plain, differentFirst: true, differentOddEven: true, header: ["", "odd", ""], firstHeader: ["cover", "", ""], evenHeader: ["", "", "even"] };
  const header = (pageIndex: number, page: number, of = setup) => headersOf(of, pageIndex, page).header.join("");
  assert.deepEqual([header(0, 1), header(1, 2), header(2, 3), header(0, 4), header(1, 5)], ["cover", "even", "odd", "cover", "odd"]);
  assert.equal(header(0, 1, { ...setup, differentFirst: false }), "odd");
  assert.equal(header(1, 2, { ...setup, differentOddEven: false }), "odd");
});

test("the sections of a header have the codes of Excel", () => {
  assert.deepEqual(sectionsOf("&LLeft &P&CR&&D&R&D"), ["Left &P", "R&&D", "&D"]);
  assert.deepEqual(sectionsOf("plain"), ["", "plain", ""]);
  assert.deepEqual(sectionsOf(""), ["", "", ""]);
});

test("repeated rows reduce the space on following pages", () => {
  const setup = { ...plain, titleRows: { top: 0, left: 0, bottom: 1, right: 16_383 } };
  assert.deepEqual(spans(setup, 110, 2), ["0-50 × 0-1", "51-99 × 0-1 under 0-1", "100-109 × 0-1 under 0-1"]);
});

test("hidden rows take no space, and a row higher than a page has its own page", () => {
  const hidden = Axis.of(1_048_576, 22, [], [{ first: 10, count: 1_000 }], 1);
  assert.deepEqual(spans(plain, 1_020, 1, hidden), ["0-1019 × 0-0"]);
  const tall = Axis.of(1_048_576, 22, [{ first: 1, count: 1, sizePx: 5_000 }], [], 1);
  assert.deepEqual(spans(plain, 3, 1, tall), ["0-0 × 0-0", "1-1 × 0-0", "2-2 × 0-0"]);
});

test("fitting reduces the scale until the number of pages fits, and never enlarges", () => {
  const wide = paginate(area(10, 16), rows, columns, { ...plain, fitToWidth: 1, fitToHeight: 0 });
  assert.equal(wide.count, 1);
  // 16 columns are 1536 px; 793.7 / 1536 is 51.6 %.
  assert.equal(wide.scale, 0.51);
  assert.equal(paginate(area(2, 2), rows, columns, { ...plain, fitToWidth: 1, fitToHeight: 1 }).scale, 1);
  const whole = paginate(area(200, 3), rows, columns, { ...plain, fitToWidth: 1, fitToHeight: 1 });
  assert.equal(whole.count, 1);
});

test("pages of a million rows are counted without creating them", () => {
  assert.equal(paginate(area(1_000_000, 26), rows, columns, plain).count, Math.ceil(1_000_000 / 51) * 4);
});

test("a page setup is stored in sheet settings and read back", () => {
  const setup: PageSetup = { ...plain, paper: "letter", isLandscape: true, fitToWidth: 1, gridlines: true, footer: ["", "&P / &N", ""], differentFirst: true, firstHeader: ["Cover", "", "&D"] };
  const stored = Object.fromEntries(Object.entries(fieldsOf(setup)).filter(([, value]) => value !== null));
  const items = [{ id: 0, kind: "sheetSettings", anchors: [], fields: stored }];
  assert.deepEqual(setupOf(items, "a4"), setup);
});

test("header codes of Excel are replaced", () => {
  const codes = { page: 2, pages: 9, sheet: "R&D", file: "plan", date: "1/2/26", time: "10:30" };
  assert.equal(replaceHeaderCodes('&"Arial,Bold"&14&KFF0000&A: &P/&N && &D &T &F', codes), "R&D: 2/9 & 1/2/26 10:30 plan");
});
