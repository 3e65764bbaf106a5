/**
 * Example sheets of the gallery: formats, structure, validations, protection and a right-to-left
 * sheet.
 */

import type { Command } from "@quadrille/protocol";
import type { GalleryPage } from "./gallery-page.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A command that adds an item; `number` is its id if other items refer to it. */
export const item = (sheet: number, kind: string, anchors: readonly string[], fields: Fields = {}, number?: number): Command =>
  ({ type: "setItem", sheet, ...(number !== undefined && { item: number }), kind, anchors: [...anchors], fields }) as Command;

export const format = (sheet: number, range: string, format: Fields): Command => ({ type: "format", sheet, range, format }) as Command;

/**
 * Borders, fills, fonts, number formats, merged and rotated cells, conditional formats, sparklines.
 */
export async function openFormats(gallery: GalleryPage): Promise<void> {
  const rows = [
    "Deliveries 2026,,,,,,",
    "Customer,January,February,March,Trend,Share,Due",
    'Inn at the mill,1240.5,980,1102.25,"=SPARKLINE(B3:D3,{""charttype"",""column""})",=D3/D$7,2026-04-01',
    "Schoolkitchen,612,655,701.4,=SPARKLINE(B4:D4),=D4/D$7,2026-04-15",
    '"Zum Löwen, Oberdorf",-88,120,305,=SPARKLINE(B5:D5),=D5/D$7,2026-05-01',
    "マルシェ京都,430,0,512,=SPARKLINE(B6:D6),=D6/D$7,2026-05-20",
    "Total,=SUM(B3:B6),=SUM(C3:C6),=SUM(D3:D6),,=SUM(F3:F6),",
    "",
    "hair,dotted,dashed,thin,medium,thick,double",
    "",
    '"A long text that is wrapped into its own cell, line by line",,centred,turned,right,struck,سطر عربي',
  ];
  await gallery.ownRoom(rows.join("\n"));
  await gallery.add((sheet) => {
    const all = (style: string, color = "#2459c4") => {
      const line = { style, color };
      return { borderTop: line, borderRight: line, borderBottom: line, borderLeft: line };
    };
    const styles = ["hair", "dotted", "dashed", "thin", "medium", "thick", "double"];
    return [
      { type: "merge", sheet, range: "A1:G1", how: "all" },
      { type: "resize", sheet, dimension: "columns", first: 0, count: 1, size: 150 },
      { type: "resize", sheet, dimension: "rows", first: 0, count: 1, size: 36 },
      { type: "resize", sheet, dimension: "rows", first: 10, count: 1, size: 64 },
      format(sheet, "A1", { bold: true, fontSize: 18, horizontal: "center", vertical: "middle", fillColor: "#e3f1ec", textColor: "#0f4437" }),
      format(sheet, "A2:G2", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff", horizontal: "center" }),
      format(sheet, "B3:D7", { numberFormat: "#,##0.00;[Red]-#,##0.00" }),
      format(sheet, "F3:F7", { numberFormat: "0.0%" }),
      format(sheet, "G3:G6", { numberFormat: "d mmm yyyy" }),
      format(sheet, "A7:G7", { bold: true, borderTop: { style: "double", color: "#1f6f5c" } }),
      ...styles.map((style, at) => format(sheet, `${String.fromCharCode(65 + at)}9`, all(style))),
      format(sheet, "A11", { wrap: true, vertical: "top" }),
      format(sheet, "C11", { horizontal: "center", vertical: "middle", italic: true }),
      format(sheet, "D11", { rotation: 45 }),
      format(sheet, "E11", { horizontal: "right", underline: true, fontFamily: "Georgia" }),
      format(sheet, "F11", { strikethrough: true, textColor: "#b3261e", fillColor: "#fff2cc" }),
      item(sheet, "conditionalRule", ["B3:D6"], {
        rule: "colorScale",
        priority: 1,
        stops: [
          { at: "minimum", color: "#f4cccc" },
          { at: "percentile", value: 50, color: "#fff2cc" },
          { at: "maximum", color: "#8fd3c1" },
        ],
      }),
      item(sheet, "conditionalRule", ["F3:F6"], { rule: "iconSet", iconSet: "3Arrows", priority: 2 }),
    ];
  });
}

/** Grouped rows and columns with totals, and frozen panes. */
export async function openStructure(gallery: GalleryPage): Promise<void> {
  const quarter = (name: string, at: number): string[] => [1, 2, 3].map((month) => `${name}.${month},${at * 30 + month},${at * 7 + month * 2}`);
  const rows = ["Month,Boxes,Crates", ...["Q1", "Q2", "Q3"].flatMap((name, at) => [...quarter(name, at), `${name},=SUM(B${at * 4 + 2}:B${at * 4 + 4}),=SUM(C${at * 4 + 2}:C${at * 4 + 4})`])];
  await gallery.ownRoom(rows.join("\n"));
  await gallery.add((sheet) => [
    item(sheet, "outlineGroup", ["2:4"], { dimension: "rows" }),
    item(sheet, "outlineGroup", ["6:8"], { dimension: "rows", collapsed: true }),
    { type: "setHidden", sheet, dimension: "rows", first: 5, count: 3, hidden: true },
    item(sheet, "outlineGroup", ["2:12"], { dimension: "rows" }),
    item(sheet, "outlineGroup", ["B:C"], { dimension: "columns" }),
    { type: "freezePanes", sheet, rows: 1, columns: 1 },
    format(sheet, "A1:C1", { bold: true, fillColor: "#e3f1ec" }),
  ]);
}

/** Data validations, one of which is violated. */
export async function openValidations(gallery: GalleryPage): Promise<void> {
  await gallery.ownRoom("Boxes,Paid on,Done\n12,2026-03-01,TRUE\n250,2026-04-01,FALSE\n,,\n");
  await gallery.add((sheet) => [
    item(sheet, "validation", ["A2:A9"], {
      rule: "whole",
      operator: "between",
      formula1: "=1",
      formula2: "=40",
      strictness: "stop",
      promptTitle: "Boxes",
      prompt: "As many as the van holds: from 1 to 40.",
      errorMessage: "The van does not hold so many.",
    }),
    item(sheet, "validation", ["B2:B9"], { rule: "date", operator: "greaterOrEqual", formula1: "=DATE(2026,1,1)", strictness: "warning" }),
    item(sheet, "validation", ["C2:C9"], { rule: "checkbox" }),
    format(sheet, "B2:B9", { numberFormat: "yyyy-mm-dd" }),
  ]);
}

/** Dropdown lists as chips, with one and with several choices in a cell. */
export async function openChips(gallery: GalleryPage): Promise<void> {
  const tasks = ["Paint the fence,Done,Garden", "Order seeds,Doing,\"Garden, Shopping\"", "Fix the tap,To do,House", "Call the plumber with the long name,Blocked,\"House, Garden, Shopping\"", "Sweep,Waiting for an answer of the neighbours,", "Rest,,"];
  await gallery.ownRoom(`Task,State,Where\n${tasks.join("\n")}\n`);
  const colors = (pairs: Readonly<Record<string, string>>): { value: string; color: string }[] => Object.entries(pairs).map(([value, color]) => ({ value, color }));
  await gallery.add((sheet) => [
    item(sheet, "validation", ["B2:B9"], {
      rule: "list",
      displayStyle: "chip",
      choices: ["To do", "Doing", "Blocked", "Done", "Waiting for an answer of the neighbours"],
      choiceColors: colors({ Doing: "#ffdf80", Blocked: "#8f1d1d", Done: "#2a917a" }),
    }),
    item(sheet, "validation", ["C2:C9"], {
      rule: "list",
      displayStyle: "chip",
      allowMultiple: true,
      choices: ["Garden", "House"],
      choiceColors: colors({ Garden: "#d9ead3", House: "#cfe2f3" }),
    }),
    format(sheet, "A1:C1", { bold: true }),
    format(sheet, "B4", { horizontal: "center" }),
    format(sheet, "B5", { horizontal: "right" }),
    format(sheet, "C2:C9", { wrap: true }),
    { type: "resize", sheet, dimension: "rows", first: 4, count: 1, size: 70 },
    { type: "resize", sheet, dimension: "columns", first: 1, count: 2, size: 130 },
  ]);
}

/** Ratings, also centred and on a fill, and people, also several in a cell. */
export async function openRatings(gallery: GalleryPage, isRightToLeft = false): Promise<void> {
  const films = ["The Garden,5,Ada Lovelace", "Long Winter,3,\"Grace Hopper, Alan Turing\"", "Two Rivers,0,ليلى حسن", "Night Train,,", "The Last Stop,7,Somebody with a rather long name"];
  await gallery.ownRoom(`Film,Rating,Seen by\n${films.join("\n")}\n`);
  await gallery.add((sheet) => [
    { type: "setItem", sheet, item: 0, fields: { rightToLeft: isRightToLeft } },
    item(sheet, "validation", ["B2:B8"], { rule: "whole", operator: "between", formula1: "=0", formula2: "=5", displayStyle: "rating" }),
    item(sheet, "validation", ["C2:C8"], { rule: "any", displayStyle: "people", allowMultiple: true }),
    format(sheet, "A1:C1", { bold: true }),
    format(sheet, "B3", { horizontal: "center" }),
    format(sheet, "B4", { fillColor: "#1f3d5c" }),
    format(sheet, "B2", { fillColor: "#fff2cc" }),
    { type: "resize", sheet, dimension: "rows", first: 2, count: 1, size: 40 },
    { type: "resize", sheet, dimension: "columns", first: 2, count: 1, size: 240 },
  ]);
}

/** Protected ranges: one that rejects changes and one that warns. */
export async function openProtection(gallery: GalleryPage): Promise<void> {
  await gallery.ownRoom("Rent,1200\nHeating,310\nFood,480\n");
  await gallery.add((sheet) => [
    item(sheet, "protectedRange", ["A1:A3"], { description: "The names are used by other sheets" }),
    item(sheet, "protectedRange", ["B1:B3"], { description: "Agreed in March", warningOnly: true }),
  ]);
}

export async function openRightToLeft(gallery: GalleryPage): Promise<void> {
  await gallery.ownRoom("البستان,الفاكهة,الأشجار,السعر\nالمنحدر الشمالي,تفاح,140,14.5\nضفة النهر,كمثرى,74,18.9\nالجدار القديم,سفرجل,18,27.5\nالمجموع,,=SUM(C2:C4),\n");
  await gallery.add((sheet) => [
    { type: "setItem", sheet, item: 0, fields: { rightToLeft: true } },
    { type: "resize", sheet, dimension: "columns", first: 0, count: 1, size: 130 },
    format(sheet, "A1:D1", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" }),
    format(sheet, "A5:D5", { bold: true, borderTop: { style: "thin", color: "#1b2422" } }),
    { type: "freezePanes", sheet, rows: 1, columns: 1 },
  ]);
}

/** More tabs than fit, with colours and a hidden sheet. */
export async function openManySheets(gallery: GalleryPage): Promise<void> {
  await gallery.ownRoom("1,2\n");
  const names = ["Budget", "Harvest 2024", "Harvest 2025", "مبيعات", "顧客", "A sheet whose name is rather long for a tab", "Q1", "Q2", "Q3", "Q4", "Archive"];
  for (const [at, name] of names.entries()) {
    await gallery.command({ type: "addSheet", name, position: at + 1 });
    await gallery.page.locator(".sheet-tab").nth(at + 1).waitFor();
  }
  const colors = ["#2459c4", "#b3541e", "#1f7a64", "#9b2c6f"];
  for (const [at, color] of colors.entries()) {
    await gallery.command({ type: "setItem", sheet: await gallery.sheet(at + 1), item: 0, fields: { tabColor: color } });
  }
  await gallery.command({ type: "setItem", sheet: await gallery.sheet(names.length), item: 0, fields: { hidden: true } });
  await gallery.page.locator(".sheet-tab").nth(names.length).waitFor({ state: "detached" });
}
