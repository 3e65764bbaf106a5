import { violations } from "./axe.ts";
import { expect, type User, test } from "./user.ts";

/** Switches the page from English to another language. */
async function chooseLanguage(person: User, name: string): Promise<void> {
  await person.choose("File", "Language…");
  await person.page.getByRole("combobox", { name: "Language" }).selectOption(name);
  await person.press("Escape");
  await expect(person.page.getByRole("dialog")).toHaveCount(0);
}

/** The formula bar, in every language. */
const bar = (person: User) => person.page.locator("textarea.formula-field");

test("two people read and type function names of their own languages", async ({ world }) => {
  const [ann, bob, eve] = [await world.enter(), await world.enter(), await world.enter()];
  await ann.type("A1", [["1.5", "=SUM(A1,2.5)"]]);
  await chooseLanguage(ann, "Deutsch");
  await chooseLanguage(bob, "Français");
  await ann.select("B1");
  await expect(bar(ann)).toHaveValue("=SUMME(A1;2,5)");
  await bob.select("B1");
  await expect(bar(bob)).toHaveValue("=SOMME(A1;2,5)");
  // Names of the language, English names, truth values and error values.
  await ann.type("C1", [['=wenn(summe(A1;B1)>5;ISTNV(#NV);FALSCH)'], ["=SUM(A1;WAHR)"]]);
  await ann.sees("C1", [["TRUE"], ["2,5"]]);
  await ann.select("C1");
  await expect(bar(ann)).toHaveValue("=WENN(SUMME(A1;B1)>5;ISTNV(#N/A);FALSE)");
  await bob.select("C1");
  await expect(bar(bob)).toHaveValue("=SI(SOMME(A1;B1)>5;ESTNA(#N/A);FALSE)");
  await eve.select("C1");
  await eve.formula("=IF(SUM(A1,B1)>5,ISNA(#N/A),FALSE)");
  // In French, TRIM is another function than in English.
  await bob.type("D1", [['=SUPPRESPACE(" a  b ")', "=NB.SI(A1:B1;\">1\")"]]);
  await bob.sees("D1", [["a b", "2"]]);
  await eve.select("D1");
  await eve.formula('=TRIM(" a  b ")');
  await eve.select("E1");
  await eve.formula('=COUNTIF(A1:B1,">1")');
  // F2 edits the text that is shown; entering it does not change the formula.
  await ann.select("C1");
  await ann.press("F2");
  await expect(ann.field).toHaveValue("=WENN(SUMME(A1;B1)>5;ISTNV(#N/A);FALSE)");
  await ann.press("Home", "End", "Enter");
  await eve.select("C1");
  await eve.formula("=IF(SUM(A1,B1)>5,ISNA(#N/A),FALSE)");
});

test("suggestions, help, the list of functions and the toolbar use the names of the language", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["4"], ["9"]]);
  await chooseLanguage(ann, "Deutsch");
  const options = ann.page.getByRole("listbox", { name: "Funktionen" }).getByRole("option");
  await ann.select("B1");
  await ann.page.keyboard.type("=summ");
  await expect(options.first()).toHaveText(/^SUMMEAddiert/);
  // English names find the function too, and are shown beside the other name.
  await ann.press("Control+a");
  await ann.page.keyboard.type("=vlook");
  await expect(options).toHaveCount(1);
  await expect(options.first()).toHaveText(/^SVERWEISVLOOKUP/);
  await ann.press("Tab");
  await expect(ann.field).toHaveValue("=SVERWEIS(");
  await expect(ann.page.locator(".formula-help")).toContainText("SVERWEIS(Wert; ");
  // Help also for a function that is typed in English.
  await ann.press("Control+a");
  await ann.page.keyboard.type("=zählenwenn(A1:A2;");
  await expect(ann.page.locator(".formula-help")).toContainText("ZÄHLENWENN(");
  await expect(ann.page.locator(".formula-help .is-current")).toHaveText("Kriterium");
  expect(await violations(ann.page)).toEqual([]);
  await ann.press("Escape", "Escape");
  // Point mode, F4 and the colours of references.
  await ann.page.keyboard.type("=summe(");
  await ann.press("ArrowLeft", "F4");
  await expect(ann.field).toHaveValue("=summe($A$1");
  await ann.seesReferences("$A$1");
  await ann.press("Enter");
  await ann.seesInCell("B1", "4");
  await ann.select("B1");
  await expect(bar(ann)).toHaveValue("=SUMME($A$1)");
  // The list of functions and the toolbar.
  await ann.select("B2");
  await ann.press("Shift+F3");
  const search = ann.page.getByRole("searchbox", { name: "Funktionen suchen" });
  await search.fill("sqrt");
  await ann.page.getByRole("dialog").getByRole("button", { name: /^WURZEL\(/ }).click();
  await expect(ann.field).toHaveValue("=WURZEL(");
  await ann.page.keyboard.type("A2");
  await ann.press("Enter");
  await ann.seesInCell("B2", "3");
  await ann.select("A1:A2");
  await ann.press("Alt+=");
  await expect(ann.field).toHaveValue("=SUMME(A1:A2)");
  await ann.press("Enter");
  await ann.seesInCell("A3", "13");
});

test("show formulas, find, copied formulas and dialogs use the names of the language", async ({ world }) => {
  const [ann, eve] = [await world.enter(), await world.enter()];
  await ann.type("A1", [["4", "=ROUND(A1/3,1)"]]);
  await chooseLanguage(ann, "Deutsch");
  await ann.press("Control+`");
  await ann.seesInCell("B1", "=RUNDEN(A1/3;1)");
  await ann.press("Control+`");
  await ann.seesInCell("B1", "1,3");
  // The text of a formula, pasted as text.
  await ann.select("B1");
  await ann.press("F2");
  await expect(ann.field).toHaveValue("=RUNDEN(A1/3;1)");
  await ann.press("Control+a", "Control+c", "Escape");
  await expect.poll(() => ann.page.evaluate(() => navigator.clipboard.readText())).toBe("=RUNDEN(A1/3;1)");
  await ann.page.evaluate(() => navigator.clipboard.writeText("=AUFRUNDEN(A1/3;0)\t=ROUND(A1/3;2)"));
  await ann.select("C1");
  await ann.press("Control+v");
  await ann.sees("C1", [["2", "1,33"]]);
  await eve.select("C1");
  await eve.formula("=ROUNDUP(A1/3,0)");
  // Copied cells keep their formulas.
  await ann.select("B1");
  await ann.copy();
  await ann.select("B2");
  await ann.press("Control+v");
  await eve.select("B2");
  await eve.formula("=ROUND(A2/3,1)");
  // Named ranges.
  await ann.choose("Daten", "Benannte Bereiche");
  const dialog = ann.page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Anteil");
  await dialog.getByRole("textbox", { name: "Zellen oder Formel" }).fill("SUMME(Sheet1!$A$1;0,5)");
  await dialog.getByRole("button", { name: "Hinzufügen" }).click();
  await expect(dialog.locator("code")).toHaveText("SUMME(Sheet1!$A$1;0,5)");
  await ann.press("Escape");
  await ann.type("A5", [["=Anteil"]]);
  await ann.seesInCell("A5", "4,5");
  await eve.choose("Data", "Named ranges");
  await expect(eve.page.getByRole("dialog").locator("code")).toHaveText("SUM(Sheet1!$A$1,0.5)");
  // Find in formulas.
  await ann.press("Control+f");
  const panel = ann.page.getByRole("region", { name: "Suchen und ersetzen" });
  await panel.getByRole("checkbox", { name: "In Formeln" }).check();
  await panel.getByRole("textbox", { name: "Suchen" }).fill("AUFRUNDEN(");
  await expect(panel.getByRole("status")).toHaveText(/^1 /);
});

test("rules use the names and the separators of the language", async ({ world }) => {
  const [ann, eve] = [await world.enter(), await world.enter()];
  await ann.type("A1", [["4"], ["1"]]);
  await chooseLanguage(ann, "Deutsch");
  const dialog = (person: User) => person.page.getByRole("dialog");
  await ann.select("A1:A2");
  await ann.choose("Format$", /^Bedingte Formatierung/);
  await dialog(ann).getByRole("combobox", { name: "Regel" }).selectOption("Benutzerdefinierte Formel ist");
  await dialog(ann).getByRole("textbox", { name: "Wert" }).fill("=WENN(A1>1,5;WAHR;FALSCH)");
  await dialog(ann).getByRole("button", { name: "Regel hinzufügen" }).click();
  await expect(dialog(ann).locator(".rule-go")).toContainText("WENN(A1>1,5;TRUE;FALSE)");
  await ann.press("Escape");
  await eve.choose("Format", "Conditional formatting…");
  await expect(dialog(eve).locator(".rule-go")).toContainText("IF(A1>1.5,TRUE,FALSE)");
  await eve.press("Escape");
  // Dates in a rule are stored as DATE and shown in ISO format in every language.
  for (const [allow, condition, limit, stored, rejected] of [
    ["Zahl", "kleiner oder gleich", "SUMME(A1;1,5)", "SUM(A1,1.5)", "6"],
    ["Datum", "größer oder gleich", "2024-05-31", "2024-05-31", "30.5.2024"],
  ] as const) {
    await ann.select("C1");
    await ann.choose("Daten", /^Datenüberprüfung/);
    await dialog(ann).getByRole("combobox", { name: "Zulassen" }).selectOption(allow);
    await dialog(ann).getByLabel("Bedingung").selectOption(condition);
    await dialog(ann).getByRole("textbox", { name: "Wert" }).fill(limit);
    await dialog(ann).getByRole("button", { name: "Anwenden" }).click();
    await expect(dialog(ann)).toBeHidden();
    await ann.page.keyboard.type(rejected);
    await ann.press("Enter");
    await expect(dialog(ann)).toContainText(limit);
    await ann.press("Escape");
    await expect(dialog(ann)).toBeHidden();
    await ann.press("Escape");
    await eve.select("C1");
    // The dialog shows the rule as it was when it opened, and Ann's change may not have arrived.
    await expect(async () => {
      await eve.choose("Data", "Data validation…");
      const shown = await dialog(eve).getByLabel("Value").inputValue();
      await eve.press("Escape");
      expect(shown).toBe(stored);
    }).toPass();
    await ann.select("C1");
    await ann.choose("Daten", /^Datenüberprüfung/);
    await expect(dialog(ann).getByRole("textbox", { name: "Wert" })).toHaveValue(limit);
    await ann.press("Escape");
  }
});

test("English function names can be chosen, in this browser only", async ({ world }) => {
  const [ann, bob] = [await world.enter(), await world.enter()];
  await ann.type("A1", [["=SUM(1.5,2)"]]);
  await chooseLanguage(ann, "Deutsch");
  await chooseLanguage(bob, "Español");
  await ann.select("A1");
  await expect(bar(ann)).toHaveValue("=SUMME(1,5;2)");
  await ann.choose("Datei", /^Sprache/);
  const check = ann.page.getByRole("checkbox", { name: "Immer englische Funktionsnamen verwenden" });
  await expect(check).not.toBeChecked();
  expect(await violations(ann.page)).toEqual([]);
  await check.check();
  await ann.press("Escape");
  await expect(bar(ann)).toHaveValue("=SUM(1,5;2)");
  await ann.page.reload();
  await ann.seesInCell("A1", "3,5");
  await ann.select("A1");
  await expect(bar(ann)).toHaveValue("=SUM(1,5;2)");
  await ann.page.keyboard.type("=SUMME(1)");
  await ann.press("Enter");
  await ann.seesInCell("A1", "#NAME?");
  await bob.type("A2", [["=SUMA(1,5;SI(VERDADERO;2;#N/D))"]]);
  await bob.seesInCell("A2", "3,5");
  await ann.select("A2");
  await expect(bar(ann)).toHaveValue("=SUM(1,5;IF(TRUE;2;#N/A))");
  // Other languages have no own names.
  await ann.choose("Datei", /^Sprache/);
  await ann.page.getByRole("combobox", { name: "Sprache" }).selectOption("日本語");
  await expect(check).toHaveCount(0);
});
