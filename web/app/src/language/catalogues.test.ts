import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "@babel/parser";
import { SHORTCUTS } from "@quadrille/editor";
import { type Catalogue, LANGUAGES, loadEnglishForms, preferredLanguage, t } from "./language.ts";

const SOURCES = join(import.meta.dirname, "..");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), "utf8") }));

/** The catalogue of all pages, and that of the pages for accounts. */
const FOLDERS = ["catalogues", "account-catalogues"];

function catalogueIn(folder: string, language: string): Catalogue {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${folder}/${language}.json`), "utf8")) as Catalogue;
}

function catalogue(language: string): Catalogue {
  return Object.assign({}, ...FOLDERS.map((folder) => catalogueIn(folder, language))) as Catalogue;
}

const languages = LANGUAGES.map(([language]) => language);
const messages = Object.keys(catalogue("de"));

function forms(entry: Catalogue[string] | undefined): readonly string[] {
  return typeof entry === "object" ? Object.values(entry) : [entry ?? ""];
}

function placeholders(text: string): string {
  return [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort().join(" ");
}

for (const language of languages.filter((name) => name !== "en")) {
  test(`the ${language} catalogue is complete, and every text has its placeholders`, () => {
    const texts = catalogue(language);
    assert.deepEqual(Object.keys(texts), messages);
    for (const message of messages) {
      const entry = texts[message];
      for (const form of forms(entry)) {
        assert.notEqual(form.trim(), "", message);
        // Forms for one or two may omit the number.
        const expected = typeof entry === "object" ? placeholders(message).replace("{count}", "") : placeholders(message);
        const actual = typeof entry === "object" ? placeholders(form).replace("{count}", "") : placeholders(form);
        assert.equal(actual.trim(), expected.trim(), `${message} → ${form}`);
      }
      assert.equal(typeof entry, message in catalogue("en") ? "object" : "string", message);
    }
  });
}

test("the first English plural forms are those of the catalogue", async () => {
  assert.equal(t("{count} people here", { count: 1 }), (forms(catalogue("en")["{count} people here"])[0] ?? "").replace("{count}", "1"));
  assert.equal(t("{count} cells changed.", { count: 1 }), "1 cells changed.", "not loaded yet");
  await loadEnglishForms();
  assert.equal(t("{count} cells changed.", { count: 1 }), "1 cell changed.");
});

test("no text is in both catalogues", () => {
  const [all = {}, accounts = {}] = FOLDERS.map((folder) => catalogueIn(folder, "de"));
  assert.deepEqual(Object.keys(accounts).filter((message) => message in all), []);
});

test("plural forms are those of the language and include “other”", () => {
  for (const language of languages) {
    for (const [message, entry] of Object.entries(catalogue(language))) {
      if (typeof entry === "object") {
        assert.ok(entry.other, `${language}: ${message}`);
        const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        assert.ok(Object.keys(entry).every((form) => categories.some((name) => name === form)), `${language}: ${message}`);
      }
    }
  }
});

test("every text of the catalogues is used", () => {
  const sources = files.map(({ text }) => text).join("\n");
  const labels = shortcutTexts();
  const unused = messages.filter((message) => !sources.includes(JSON.stringify(message)) && !labels.has(message));
  assert.deepEqual(unused, []);
});

/** The texts of the list of shortcuts. */
function shortcutTexts(): ReadonlySet<string> {
  return new Set(SHORTCUTS.flatMap(([group, shortcuts]) => [group, ...shortcuts.map(({ label }) => label)]));
}

test("the texts of the shortcuts are in the catalogues", () => {
  assert.deepEqual([...shortcutTexts()].filter((label) => !messages.includes(label)), []);
});

/** Attributes with text for people. */
const ATTRIBUTES = new Set(["title", "aria-label", "aria-description", "placeholder", "alt", "label", "noneLabel", "text"]);
/** Names and symbols that are not translated. */
const UNTRANSLATED = new Set(["fx", "Quadrille", "CSV", "JSON"]);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** Literal words in `node` that are not arguments of `t`. */
function literals(node: Node, isText: boolean): string[] {
  const isWord = (text: unknown): text is string =>
    typeof text === "string" && /\p{L}{2}/u.test(text) && !UNTRANSLATED.has(text.trim());
  const found: string[] = [];
  const into = (value: unknown, isDisplayed: boolean): void => {
    if (Array.isArray(value)) {
      value.forEach((each) => into(each, isDisplayed));
    } else if (isNode(value)) {
      found.push(...literals(value, isDisplayed));
    }
  };
  switch (node.type) {
    case "JSXText":
      return isWord(node["value"]) ? [String(node["value"]).trim()] : [];
    case "StringLiteral":
      return isText && isWord(node["value"]) ? [String(node["value"])] : [];
    case "TemplateElement": {
      const cooked = (node["value"] as { cooked?: unknown }).cooked;
      return isText && isWord(cooked) ? [String(cooked)] : [];
    }
    case "JSXAttribute": {
      const name = (node["name"] as Node)["name"];
      into(node["value"], typeof name === "string" && ATTRIBUTES.has(name));
      return found;
    }
    case "JSXElement":
    case "JSXFragment":
      into(node["openingElement"], false);
      into(node["children"], true);
      return found;
    case "ConditionalExpression":
      into(node["test"], false);
      into(node["consequent"], isText);
      into(node["alternate"], isText);
      return found;
    case "CallExpression": {
      // Arguments of functions are ignored, except those of `toast`.
      const callee = node["callee"] as Node;
      const property = callee["property"];
      const isToast = isNode(property) && property["name"] === "toast";
      into(callee, false);
      into(node["arguments"], isToast);
      return found;
    }
    case "BinaryExpression":
    case "LogicalExpression":
      into(node["left"], isText && node["operator"] === "+");
      into(node["right"], isText && node["operator"] !== "===" && node["operator"] !== "!==");
      return found;
    case "ArrowFunctionExpression":
    case "ObjectExpression":
    case "MemberExpression":
      for (const value of Object.values(node)) {
        into(value, false);
      }
      return found;
    default:
      for (const value of Object.values(node)) {
        into(value, isText);
      }
      return found;
  }
}

test("components have no literal texts outside of the catalogues", () => {
  const found = files.flatMap(({ path, text }) => {
    const program = parse(text, { sourceType: "module", plugins: ["typescript", "jsx"] }).program;
    return literals(program as unknown as Node, false).map((word) => `${path}: ${word}`);
  });
  assert.deepEqual(found, []);
});

test("the nearest catalogue is chosen for the languages of the browser", () => {
  assert.equal(preferredLanguage(["pt-BR", "fr-CA", "en"]), "fr");
  assert.equal(preferredLanguage(["zh-TW"]), "zh-Hant");
  assert.equal(preferredLanguage(["zh-HK", "en"]), "zh-Hant");
  assert.equal(preferredLanguage(["zh"]), "zh-Hans");
  assert.equal(preferredLanguage(["ar-EG"]), "ar");
  assert.equal(preferredLanguage(["tlh", "*"]), "en");
});
