/** EtherCalc's own page beside ours, and beside another one of its own, in one room. */

import { createHmac } from "node:crypto";

import type { Page } from "@playwright/test";

import { type EtherCalcPage, isInstalled, serveEtherCalcPage } from "./ethercalc-page.ts";
import { Server } from "./server.ts";
import { expect, test } from "./user.ts";

test.skip(!isInstalled, "run `npm ci --ignore-scripts` in bench/peers/ethercalc for EtherCalc's page");

/** Opens a room in EtherCalc's page and waits for its sheet. */
async function open(page: Page, proxy: EtherCalcPage, room: string): Promise<void> {
  await page.goto(`${proxy.url}/${room}`);
  await page.waitForFunction("window.SocialCalc && SocialCalc.hadSnapshot && window.spreadsheet && !document.querySelector('#tableeditor .loader')");
}

/** Carries out commands as the menus of EtherCalc's page do. */
async function execute(page: Page, commands: string): Promise<void> {
  await page.evaluate(`spreadsheet.ExecuteCommand(${JSON.stringify(commands)}, "")`);
}

/** Expects the value or text of a cell in EtherCalc's page. */
async function sees(page: Page, cell: string, value: string | number | undefined): Promise<void> {
  await expect.poll(() => page.evaluate(`spreadsheet.sheet.cells[${JSON.stringify(cell)}]?.datavalue || undefined`), `${cell} in EtherCalc's page`).toBe(value);
}

test("EtherCalc's page and ours show the same, also after an undo and a dropped connection", async ({ world, browser }) => {
  const proxy = await serveEtherCalcPage(world.server.url);
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const ann = await world.enter("plan");
  await ann.type("A1", [["3", "=A1*2"]]);
  await ann.saved();
  await open(page, proxy, "plan");
  await sees(page, "B1", 6);
  await execute(page, "set C1 formula A1+1");
  await ann.seesInCell("C1", "4");
  await ann.type("D1", [["hello"]]);
  await sees(page, "D1", "hello");
  // The page has seen what Ann typed, so that its own row does not cost it what it can undo.
  await execute(page, "insertrow A1");
  await ann.seesInCell("A2", "3");
  await execute(page, "undo");
  await ann.seesInCell("A1", "3");
  // The page asks for the log when it has connected again, and ignores it.
  proxy.drop();
  await world.server.kill();
  await world.server.run();
  await ann.type("G1", [["77"]]);
  await sees(page, "G1", 77);
  await execute(page, "set G2 value n 78");
  await ann.seesInCell("G2", "78");
  await context.close();
  await proxy.stop();
});

/** The commands of EtherCalc's menus, and what a person enters there. The first page gives those of even place. */
const COMMANDS: readonly string[] = [
  "set A1 value n 3\nset A2 value n 1\nset A3 value n 2\nset B1 text t pear\nset B2 text t apple\nset B3 text t fig",
  "set C1 formula SUM(A1:A3)",
  "set A1:B3 font normal bold * *",
  "set A1 font italic normal 14pt Verdana,Arial,Helvetica,sans-serif",
  "set A1:A2 color rgb(255,0,0)",
  "set B1:B3 bgcolor rgb(255,255,0)",
  "set A1:A3 cellformat center",
  "set A1 nontextvalueformat $#,##0.00",
  "set B1 textvalueformat text-html",
  "set A1:B3 bt 1px solid rgb(0,0,0)\nset A1:B3 bb 1px solid rgb(0,0,0)",
  "sort A1:B3 A up",
  "sort A1:B3 B down A up",
  "set D1 value n 1\nfilldown D1:D4 all",
  "set E1 formula D1+1\nfilldown E1:E4 all",
  "fillright D1:F1 all",
  "name define PRICE A1:A3",
  "set C2 formula SUM(PRICE)",
  "name desc PRICE the prices",
  "name delete PRICE",
  "set B width 200",
  "set 3 height 40",
  "set C hide yes",
  "set C hide no",
  "set A1 comment a note",
  "set B1 readonly yes",
  "set B1 readonly no",
  "merge G1:H2",
  "unmerge G1",
  "set G1 text t long\nmerge G1:I1",
  "insertrow A2",
  "insertcol B1",
  "deleterow A2",
  "deletecol B1",
  "copy A1:B2 all\npaste A10 all",
  "cut A10:B11 all\npaste D10 all",
  "copy A1:A2 formats\npaste F5 formats",
  "copy A1:A2 all\npaste A12:B15 all",
  "copy A1:A2 all\npaste J1 formulas",
  "erase D10:E11 formulas",
  "erase D10:E11 all",
  "movepaste A1:A3 H5 all",
  "moveinsert H5:H7 J5 all",
  "set A20 constant nd 44197 1/1/2021\nset A21 constant n% 0.05 5%\nset A22 value nl 1\nset A23 constant e#N/A 0 #N/A",
  "set A27 text t a\\cb\\nc\nset A28 text th <b>bold</b>",
  "set A31 formula IF(1=1,\"yes\",\"no\")\nset A32 formula 1/0",
  "set sheet defaultcolwidth 100",
  "recalc",
];

/**
 * What a sheet of EtherCalc's page shows, as a function in the page. Numbers have the type `n`, whatever
 * their format; the families of a font after the first are left out; names have no `$`.
 */
const SHOWN = `(sheet) => {
  const tables = { font: "fonts", color: "colors", bgcolor: "colors", cellformat: "cellformats", bt: "borderstyles", bb: "borderstyles" };
  const shown = {};
  const put = (key, value) => { if (value && value !== "no") shown[key] = String(value); };
  for (const [at, cell] of Object.entries(sheet.cells)) {
    const type = (cell.valuetype || "b")[0];
    if (type !== "b") put(at, type + (type === "e" ? "" : " " + cell.datavalue));
    if (cell.datatype === "f") put(at + " formula", cell.formula);
    for (const [name, table] of Object.entries(tables)) put(at + " " + name, cell[name] && sheet[table][cell[name]].replace(/,.*sans-serif/, ""));
    for (const name of ["comment", "readonly"]) put(at + " " + name, cell[name]);
    if (cell.colspan > 1 || cell.rowspan > 1) put(at + " merged", (cell.colspan || 1) + "x" + (cell.rowspan || 1));
  }
  for (const [name, { definition }] of Object.entries(sheet.names)) put(name, definition.replaceAll("$", ""));
  for (const [name, values] of [["width", sheet.colattribs.width], ["hide", sheet.colattribs.hide], ["height", sheet.rowattribs.height], ["hide", sheet.rowattribs.hide]]) {
    for (const [line, value] of Object.entries(values)) put(line + " " + name, value);
  }
  return shown;
}`;

/** What a page of EtherCalc shows. */
const shown = (page: Page): Promise<Record<string, string>> => page.evaluate(`(${SHOWN})(spreadsheet.sheet)`);

/** What it would show after it had loaded a save. */
const loaded = (page: Page, save: string): Promise<Record<string, string>> =>
  page.evaluate(`(() => {
    const save = ${JSON.stringify(save)}, { sheet } = spreadsheet.DecodeSpreadsheetSave(save), loaded = new SocialCalc.Sheet();
    loaded.ParseSheetSave(save.substring(sheet.start, sheet.end));
    return (${SHOWN})(loaded);
  })()`);

test("two pages of EtherCalc and the server have the same after each of its commands", async ({ world, browser }) => {
  test.setTimeout(300_000);
  const proxy = await serveEtherCalcPage(world.server.url);
  const contexts = [await browser.newContext({ locale: "en-US" }), await browser.newContext({ locale: "en-US" })];
  const pages = await Promise.all(contexts.map((context) => context.newPage()));
  const [first, second] = pages as [Page, Page];
  for (const page of pages) {
    await open(page, proxy, "plan");
  }
  for (const [index, commands] of COMMANDS.entries()) {
    const giver = index % 2 === 0 ? first : second;
    await execute(giver, commands);
    await expect(async () => {
      const save = await (await fetch(`${world.server.url}/_/plan`)).text();
      const stored = await loaded(first, save);
      const text = commands.replaceAll("\n", " | ");
      expect(await shown(giver), `the giver of "${text}" and the save`).toEqual(stored);
      expect(await shown(giver === first ? second : first), `the other page after "${text}" and the save`).toEqual(stored);
    }).toPass({ timeout: 20_000, intervals: [50, 100, 200, 400] });
  }
  for (const context of contexts) {
    await context.close();
  }
  await proxy.stop();
});

test("comments go both ways between our page and EtherCalc's", async ({ world, browser }) => {
  const proxy = await serveEtherCalcPage(world.server.url);
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const ann = await world.enter("plan");
  await ann.type("A1", [["3"]]);
  await ann.saved();
  await open(page, proxy, "plan");
  await sees(page, "A1", 3);
  const items = `${world.server.url}/api/v1/rooms/plan/sheets/Sheet1/items`;
  const add = async (item: object): Promise<number> => {
    const response = await fetch(items, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(item) });
    expect(response.status).toBe(201);
    return ((await response.json()) as { item: number }).item;
  };
  const comment = (text: string) => expect.poll(() => page.evaluate("spreadsheet.sheet.cells.A1.comment")).toBe(text);
  const parent = await add({ kind: "commentThread", anchors: ["A1"] });
  await add({ kind: "comment", anchors: [], fields: { parent, text: "why?", author: "Ann", time: 1_700_000_000_000 } });
  await comment("Ann: why?");
  await add({ kind: "comment", anchors: [], fields: { parent, text: "look", author: "Bo", time: 1_700_000_001_000 } });
  await comment("Ann: why?\nBo: look");
  // What a person adds in EtherCalc's page is a reply.
  await execute(page, "set A1 comment Ann\\c why?\\nBo\\c look\\nbecause");
  const texts = async (): Promise<readonly string[]> => {
    const found = (await (await fetch(`${items}?kind=comment`)).json()) as { items: readonly { fields: { text: string } }[] };
    return found.items.map(({ fields }) => fields.text).sort();
  };
  await expect.poll(texts).toEqual(["because", "look", "why?"]);
  await comment("Ann: why?\nBo: look\nbecause");
  await context.close();
  await proxy.stop();
});

test("EtherCalc's page is put right after each refused command", async ({ world, browser }) => {
  const proxy = await serveEtherCalcPage(world.server.url);
  const context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  page.on("dialog", (dialog) => void dialog.dismiss());
  await open(page, proxy, "plan");
  await execute(page, "set A1 value n 1");
  for (let round = 1; round <= 3; round += 1) {
    // The page carries out the first command of each pair of lines, and then the second commands of others.
    await execute(page, `set B${round} value n 9\nfrobnicate A1`);
    await execute(page, `set C${round} value n ${round}`);
    await execute(page, `set D${round} value n 9\nset A1:B value n`);
    await execute(page, `set E${round} value n ${round}`);
  }
  await expect(async () => {
    const stored = await loaded(page, await (await fetch(`${world.server.url}/_/plan`)).text());
    expect(stored).toEqual({ A1: "n 1", C1: "n 1", C2: "n 2", C3: "n 3", E1: "n 1", E2: "n 2", E3: "n 3" });
    expect(await shown(page)).toEqual(stored);
  }).toPass({ timeout: 20_000 });
  await context.close();
  await proxy.stop();
});

test("EtherCalc's page has the sheets, the chat and the form of a room", async ({ world, browser }) => {
  const { url } = world.server;
  const proxy = await serveEtherCalcPage(url);
  const context = await browser.newContext({ locale: "en-US" });
  await context.addInitScript("window.chat = []; window.addmsg = (text) => window.chat.push(text)");
  const csv = { "content-type": "text/csv" };
  await fetch(`${url}/_/plan`, { method: "PUT", headers: csv, body: "#url,#title\n/plan.1,North\n/plan.2,South\n" });
  const north = await context.newPage();
  await open(north, proxy, "plan.1");
  await execute(north, "set A1 value n 5");
  const south = await context.newPage();
  await open(south, proxy, "plan.2");
  await execute(south, 'set A2 formula "plan.1"!A1*2');
  await sees(south, "A2", 10);
  await execute(north, "set A1 value n 6");
  await sees(south, "A2", 12);

  const form = await context.newPage();
  await open(form, proxy, "form");
  await execute(form, 'set A1 formula TEXTBOX("x")\nset A2 formula SUBMIT("Send")');
  const answers = "Object.values(spreadsheet.formDataViewer.sheet.cells).map((cell) => cell.datavalue)";
  // The page prepares the room for the answers when the sheet has a form.
  await expect.poll(() => form.evaluate(answers)).toEqual(expect.arrayContaining(["Pending:", "x"]));
  await form.evaluate("SocialCalc.Callbacks.broadcast('chat', { msg: 'hello' }); SocialCalc.Callbacks.broadcast('execute', { cmdstr: 'submitform\\ra\\rb' })");
  await expect.poll(() => form.evaluate(answers)).toEqual(expect.arrayContaining(["a", "b"]));
  const later = await context.newPage();
  await open(later, proxy, "form");
  await sees(later, "A1", "x");
  await expect.poll(() => later.evaluate("chat")).toEqual(["hello"]);
  await context.close();
  await proxy.stop();
});

test("EtherCalc's page edits with the code of the room only", async ({ browser }) => {
  const server = await Server.start("--ethercalc-key", "secret");
  const proxy = await serveEtherCalcPage(server.url);
  const context = await browser.newContext({ locale: "en-US" });
  const code = createHmac("sha256", "secret").update("plan").digest("hex");
  await fetch(`${server.url}/_/plan?auth=${code}`, { method: "PUT", headers: { "content-type": "text/csv" }, body: "7\n" });
  const editor = await context.newPage();
  await open(editor, proxy, `plan?auth=${code}`);
  await sees(editor, "A1", 7);
  const reader = await context.newPage();
  await open(reader, proxy, "plan?auth=0");
  await execute(editor, "set A1 value n 8");
  await sees(reader, "A1", 8);
  await execute(reader, "set A1 value n 9");
  await expect(reader.locator(".vex-content").first()).toContainText("auth=0 is for looking only");
  await sees(editor, "A1", 8);
  await context.close();
  await proxy.stop();
  await server.stop();
});
