// A client of EtherCalc's live protocol with the real SocialCalc: it carries out commands of others and
// its own as EtherCalc's page does. It reads a line of JSON at a time and answers each with one.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

// SocialCalc draws when it has carried out a command; here nobody looks.
globalThis.window ??= globalThis;
globalThis.document ??= { createElement: () => ({ style: {} }) };
const SocialCalc = createRequire(process.argv[2])("socialcalc");
// Calculates at once, and not in pieces between which a page could be drawn.
SocialCalc.RecalcInfo.LoadSheet = () => false;

let sheet = new SocialCalc.Sheet();

/** Replaces the sheet by that of a save. */
function load(save) {
  sheet.ResetSheet();
  const parts = SocialCalc.SpreadsheetControlDecodeSpreadsheetSave("", save);
  if (parts.sheet) {
    sheet.ParseSheetSave(save.substring(parts.sheet.start, parts.sheet.end));
  }
}

/** Carries out commands, one a line. */
function execute(commands) {
  for (const line of commands.split("\n")) {
    const error = SocialCalc.ExecuteSheetCommand(sheet, new SocialCalc.Parse(line), false);
    if (error) {
      throw new Error(`${line}: ${error}`);
    }
  }
}

/** The formulas and other contents of the cells that have some. */
function cells() {
  const found = {};
  for (const [name, cell] of Object.entries(sheet.cells)) {
    const content = cell.datatype === "f" ? `=${cell.formula}` : cell.datavalue;
    if (cell.datatype && content !== "") {
      found[name] = content;
    }
  }
  return found;
}

const acts = { load: ({ save }) => load(save), execute: ({ commands }) => execute(commands), cells };
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify(acts[request.act](request) ?? null));
}
