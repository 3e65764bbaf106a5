import { command } from "./commands.ts";
import { violations } from "./axe.ts";
import { expect, test } from "./user.ts";

const WORDS = [
  ["Deutsch", "de", "ltr", "Neue Arbeitsmappe", "Gespeichert"],
  ["Français", "fr", "ltr", "Nouveau classeur", "Enregistré"],
  ["Español", "es", "ltr", "Libro nuevo", "Guardado"],
  ["日本語", "ja", "ltr", "新しいブック", "保存済み"],
  ["简体中文", "zh-Hans", "ltr", "新建工作簿", "已保存"],
  ["繁體中文", "zh-Hant", "ltr", "新增活頁簿", "已儲存"],
  ["العربية", "ar", "rtl", "مصنف جديد", "محفوظ"],
] as const;

for (const [name, tag, direction, heading, saved] of WORDS) {
  test(`the interface is shown in ${tag} and keeps the language`, async ({ world }) => {
    const ann = await world.enter();
    await ann.page.goto(world.server.url);
    await ann.page.getByRole("combobox", { name: "Language" }).selectOption(name);
    await expect(ann.page.locator("html")).toHaveAttribute("lang", tag);
    await expect(ann.page.locator("html")).toHaveAttribute("dir", direction);
    await expect(ann.page.getByRole("button", { name: heading })).toBeVisible();
    expect(await violations(ann.page)).toEqual([]);
    await ann.page.goto(`${world.server.url}/language`);
    await expect(ann.page.locator("html")).toHaveAttribute("lang", tag);
    await expect(ann.page.locator(".save-state")).toHaveText(saved);
    await ann.seesInCell("A1", "");
    expect(await violations(ann.page)).toEqual([]);
  });
}

test("the browser language is used by default", async ({ world }) => {
  const context = await world.browser.newContext({ locale: "fr-CA" });
  const page = await context.newPage();
  await page.goto(world.server.url);
  await expect(page.getByRole("button", { name: "Nouveau classeur" })).toBeVisible();
  await context.close();
});

test("changing the language in a workbook keeps the selection", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("B2", [["7"]]);
  await ann.select("B2");
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("العربية");
  await ann.page.getByRole("button", { name: "إغلاق" }).last().click();
  await expect(ann.page.locator("html")).toHaveAttribute("dir", "rtl");
  await ann.press("ArrowRight");
  await ann.page.keyboard.type("8");
  await ann.press("Enter");
  await ann.sees("B2", [["7", "8"]]);
});

test("errors are shown in the interface language", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
  await ann.page.getByRole("button", { name: "Schließen" }).last().click();
  await command(ann.page, { type: "addSheet", name: "sheet1" });
  await expect(ann.page.getByText("Ein Blatt mit dem Namen sheet1 ist bereits vorhanden.")).toBeVisible();
  await command(ann.page, { type: "removeSheet", sheet: 1 });
  await expect(ann.page.getByText("Eine Arbeitsmappe muss mindestens ein Blatt haben.")).toBeVisible();
});

for (const [name, close, functions, sum, sentence, hint] of [
  ["Deutsch", "Schließen", "Funktionen", "SUMME", "Addiert Zahlen; Text in Bereichen wird übergangen.", "SUMME(Zahl1; [Zahl2]; …)"],
  ["العربية", "إغلاق", "الدوال", "SUM", "يجمع الأرقام؛ ويتجاوز النص في النطاقات.", "SUM(\u2068رقم1\u2069, [\u2068رقم2\u2069], …)"],
] as const) {
  test(`function help is in ${name}, with the names of Excel`, async ({ world }) => {
    const ann = await world.enter();
    await ann.select("B2");
    await ann.choose("File", "Language…");
    await ann.page.getByRole("combobox", { name: "Language" }).selectOption(name);
    await ann.page.getByRole("button", { name: close }).last().click();
    // The help texts are large and are loaded with the first formula.
    const texts = () =>
      ann.page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter((entry) => new URL(entry.name).pathname.startsWith("/assets/functions-") && (entry as PerformanceResourceTiming).decodedBodySize > 10_000)
          .map(({ name }) => name),
      );
    expect(await texts()).toEqual([]);
    await ann.page.keyboard.type("=sum");
    const list = ann.page.getByRole("listbox", { name: functions });
    await expect(list.getByRole("option", { selected: true })).toHaveText(`${sum}${sentence}`);
    expect(await texts()).toHaveLength(1);
    await ann.press("Tab");
    await expect(ann.page.locator(".cell-field")).toHaveValue(`=${sum}(`);
    await expect(ann.page.locator(".formula-call code")).toHaveText(hint);
    await expect(ann.page.locator(".formula-call p")).toHaveText(sentence);
    // The function name is left-to-right inside the sentence.
    const starts = await ann.page.locator(".formula-call > *").evaluateAll((lines) =>
      lines.map((line) => {
        const text = document.createRange();
        text.selectNodeContents(line);
        const { left, right } = text.getBoundingClientRect();
        return Math.round(document.documentElement.dir === "rtl" ? right : left);
      }),
    );
    expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 100))).toBeLessThanOrEqual(2);
    expect(await violations(ann.page)).toEqual([]);
  });
}

test("functions are searched in the interface language", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
  await ann.page.getByRole("button", { name: "Schließen" }).last().click();
  await ann.choose("Einfügen", "Funktion …");
  const dialog = ann.page.getByRole("dialog", { name: "Funktionen" });
  await dialog.getByRole("searchbox", { name: "Funktionen suchen" }).fill("arithmetische mittelwert");
  await expect(dialog.getByRole("listitem")).toHaveText(["MITTELWERT(Zahl1; [Zahl2]; …)Der arithmetische Mittelwert."]);
});

test("key names follow the interface language", async ({ world }) => {
  const ann = await world.enter();
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("Deutsch");
  await ann.page.getByRole("button", { name: "Schließen" }).last().click();
  await ann.choose("Datei", "Tastenkürzel");
  const dialog = ann.page.getByRole("dialog", { name: "Tastenkürzel" });
  await expect(dialog.getByText("Strg+Umschalt+Leertaste", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Entf", { exact: true })).toBeVisible();
});

test("in Arabic, default names contain no control characters and printed text is right-to-left", async ({ world }) => {
  const ann = await world.enter();
  await ann.type("A1", [["14 مارس 2011"], ["plain"]]);
  await ann.select("A1:A2");
  await ann.choose("File", "Language…");
  await ann.page.getByRole("combobox", { name: "Language" }).selectOption("العربية");
  await ann.page.getByRole("button", { name: "إغلاق" }).last().click();
  await ann.choose("إدراج$", "جدول…");
  await expect(ann.page.getByRole("dialog").getByRole("textbox", { name: "الاسم" })).toHaveValue(/^جدول1$/);
  await ann.press("Escape");
  await ann.choose("ملف$", "طباعة…");
  const page = ann.page.getByRole("dialog").getByRole("img");
  const turned = page.locator("text", { hasText: "مارس" });
  await expect(turned).toHaveAttribute("direction", "rtl");
  await expect(page.locator("text", { hasText: "plain" })).not.toHaveAttribute("direction", "rtl");
  // Each text is aligned as on the screen.
  const sides = await turned.evaluate((text: SVGTextElement) => {
    const { x, width } = text.getBBox();
    return [x, x + width, text.ownerSVGElement?.viewBox.baseVal.width ?? 0];
  });
  expect(sides[0]).toBeGreaterThanOrEqual(0);
  expect(sides[1]).toBeLessThanOrEqual(sides[2] ?? 0);
});
