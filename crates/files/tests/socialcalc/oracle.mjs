// Loads saves into SocialCalc and prints what it shows, for `socialcalc_oracle.rs`: reads a JSON list of
// saves from standard input and writes a list of sheets, in the same order. For `"functions"` it writes the
// names of SocialCalc's functions instead.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const require = createRequire(new URL("../../../../web/package.json", import.meta.url));
// SocialCalc asks a browser for its language, and its editor to render while other sheets load.
globalThis.navigator ??= { language: "en" };
const SocialCalc = require("socialcalc");
const editor = { ScheduleRender() {} };
SocialCalc.GetSpreadsheetControlObject = () => ({ editor });
// Controls of forms ask for a viewer, whose form they would fill.
SocialCalc.CurrentSpreadsheetViewerObject = { formDataViewer: null };
globalThis.alert = SocialCalc.alert = (message) => {
  throw new Error(message);
};

/** Loads a save as EtherCalc does, and calculates it. */
function load(save) {
  const control = { sheet: new SocialCalc.Sheet() };
  const parts = SocialCalc.SpreadsheetControlDecodeSpreadsheetSave(control, save);
  const part = (name) => save.substring(parts[name].start, parts[name].end);
  control.sheet.ParseSheetSave(part("sheet"));
  control.editor = { context: {}, SettingsCallbacks: {} };
  SocialCalc.LoadEditorSettings(control.editor, part("edit"));
  return new Promise((resolve) => {
    control.sheet.statuscallback = (_, status) => {
      if (status === "calcfinished") resolve(control);
    };
    control.sheet.RecalcSheet();
  });
}

/** The text of a cell as a browser shows it. */
function shown(sheet, address) {
  const html = SocialCalc.FormatValueForDisplay(sheet, sheet.cells[address].datavalue, address, "");
  return html
    .replace(/<br>/g, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}

/** Attributes of a cell that are not the default. */
function attributes(sheet, address) {
  const { cells } = sheet;
  const encoded = SocialCalc.EncodeCellAttributes(sheet, address);
  const names = ["alignhoriz", "alignvert", "fontlook", "fontsize", "fontfamily", "textcolor", "bgcolor"];
  const found = names.filter((name) => !encoded[name].def).map((name) => [name, encoded[name].val]);
  for (const side of ["bt", "br", "bb", "bl"]) {
    if (encoded[side].val) found.push([side, encoded[side].val]);
  }
  for (const span of ["colspan", "rowspan"]) {
    if (encoded[span].val > 1) found.push([span, encoded[span].val]);
  }
  if (cells[address].comment) found.push(["comment", cells[address].comment]);
  if (cells[address].readonly) found.push(["readonly", true]);
  return Object.fromEntries(found);
}

async function describe(save) {
  const { sheet, editor } = await load(save);
  const cells = {};
  for (const address of Object.keys(sheet.cells)) {
    const { datavalue, valuetype } = sheet.cells[address];
    const value = valuetype[0] === "n" ? Number(datavalue) : valuetype[0] === "t" ? datavalue : null;
    const cell = { type: valuetype, value, ...attributes(sheet, address) };
    cell.shown = valuetype === "b" ? "" : shown(sheet, address);
    cells[address] = cell;
  }
  const { rowpanes, colpanes } = editor.context;
  return {
    cells,
    widths: sheet.colattribs.width,
    heights: sheet.rowattribs.height,
    hiddenColumns: Object.keys(sheet.colattribs.hide),
    hiddenRows: Object.keys(sheet.rowattribs.hide),
    names: Object.fromEntries(Object.entries(sheet.names).map(([name, { definition }]) => [name, definition])),
    frozenRows: rowpanes.length > 1 ? rowpanes[1].first - 1 : 0,
    frozenColumns: colpanes.length > 1 ? colpanes[1].first - 1 : 0,
    // What SocialCalc saves itself, without the parts around the sheet.
    save: sheet.CreateSheetSave(),
  };
}

const input = JSON.parse(await text(process.stdin));
const output = input === "functions" ? Object.keys(SocialCalc.Formula.FunctionList) : [];
for (const save of Array.isArray(input) ? input : []) output.push(await describe(save));
process.stdout.write(JSON.stringify(output));
