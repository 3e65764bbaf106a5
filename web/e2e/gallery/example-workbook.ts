/** The example workbook of the gallery: the harvest of a small farm. */

import type { Command } from "@quadrille/protocol";

const ROWS: readonly (readonly (string | number)[])[] = [
  ["North slope", "Apple, Boskoop", "2011-03-14", 140, 612, 14.5, "sold"],
  ["North slope", "Apple, Elstar", "2015-11-02", 96, 388, 16.2, "sold"],
  ["River bank", "Pear, Conference", "2009-10-21", 74, 301, 18.9, "stored"],
  ["River bank", "Plum, Victoria", "2018-03-30", 52, 174, 21.4, "sold"],
  ["Old wall", "Quince", "1998-11-15", 18, 66, 27.5, "on the tree"],
  ["Old wall", "Medlar", "2020-02-28", 9, 21, 33, "on the tree"],
  ["Meadow", "Cherry, Regina", "2013-03-09", 61, 205, 38.75, "sold"],
  ["Meadow", "Walnut", "1987-10-30", 24, 92, 41.2, "stored"],
];

const HEADINGS = ["Orchard", "Fruit", "Planted", "Trees", "Crates", "Price", "State", "Revenue", "Paid"];

export function workbookCsv(): string {
  const quoted = (value: string | number): string => (String(value).includes(",") ? `"${value}"` : String(value));
  const lines = ROWS.map((row, index) => [...row.map(quoted), `=E${index + 2}*F${index + 2}`, "FALSE"].join(","));
  const total = 'Total,,,=SUM(D2:D9),=SUM(E2:E9),=H11/E11,,=SUM(H2:H9)';
  const rest = ['Best orchard,"=INDEX(A2:A9,MATCH(MAX(H2:H9),H2:H9,0))"', "Trees per crate,=D11/E11", "Crates per visitor,=E11/B16", "Visitors,0"];
  return [HEADINGS.join(","), ...lines, "", total, "", ...rest].join("\n");
}

/** Formats, validations, conditional formats, a comment thread and a note. */
export function workbookCommands(sheet: number): readonly Command[] {
  const format = (range: string, format: Record<string, unknown>): Command => ({ type: "format", sheet, range, format }) as Command;
  const resize = (first: number, size: number): Command => ({ type: "resize", sheet, dimension: "columns", first, count: 1, size });
  const time = Date.UTC(2026, 10, 20, 9, 30);
  return [
    format("A1:I1", { bold: true, fillColor: "#1f6f5c", textColor: "#ffffff" }),
    format("D1:F1", { horizontal: "right" }),
    format("H1", { horizontal: "right" }),
    format("A11:I11", { bold: true, fillColor: "#e3f1ec" }),
    format("F2:F11", { numberFormat: "#,##0.00" }),
    format("H2:H11", { numberFormat: "#,##0.00" }),
    format("C2:C9", { numberFormat: "d mmm yyyy" }),
    format("B14:B15", { numberFormat: "0.00" }),
    format("A13:A16", { italic: true }),
    resize(0, 126),
    resize(1, 122),
    { type: "setItem", sheet, item: 101, kind: "autoFilter", anchors: ["A1:I9"], fields: {} },
    {
      type: "setItem",
      sheet,
      item: 102,
      kind: "validation",
      anchors: ["G2:G9"],
      fields: { rule: "list", choices: ["on the tree", "stored", "sold"], strictness: "stop", showDropdown: true },
    },
    { type: "setItem", sheet, item: 103, kind: "validation", anchors: ["I2:I9"], fields: { rule: "checkbox" } },
    {
      type: "setItem",
      sheet,
      item: 104,
      kind: "conditionalRule",
      anchors: ["E2:E9"],
      fields: { rule: "dataBar", color: "#2a917a", negativeColor: "#cc3d3d", gradient: false, priority: 1 },
    },
    {
      type: "setItem",
      sheet,
      item: 105,
      kind: "commentThread",
      anchors: ["F6"],
      fields: { author: "Ada", time },
    },
    {
      type: "setItem",
      sheet,
      item: 106,
      kind: "comment",
      fields: { parent: 105, text: "Is this the price at the gate, or of the market in town?", author: "Ada", time },
    },
    {
      type: "setItem",
      sheet,
      item: 107,
      kind: "comment",
      fields: { parent: 105, text: "At the gate. The market takes a fifth.", author: "Grace", time: time + 3_600_000 },
    },
    { type: "setItem", sheet, item: 108, kind: "note", anchors: ["B7"], fields: { text: "Bletted by the end of November.", author: "Grace", time } },
    { type: "defineName", name: "revenue", definition: "=Sheet1!$H$2:$H$9", sheet },
  ];
}
