import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "@babel/parser";
import { KEYMAP } from "@quadrille/editor";
import { type Catalogue, LANGUAGES, preferred } from "./language.ts";

const SOURCES = join(import.meta.dirname, "..");
const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), "utf8") }));

function catalogue(language: string): Catalogue {
  return JSON.parse(readFileSync(join(import.meta.dirname, `catalogues/${language}.json`), "utf8")) as Catalogue;
}

const languages = LANGUAGES.map(([language]) => language);
const messages = Object.keys(catalogue("de"));

function forms(entry: Catalogue[string] | undefined): readonly string[] {
  return typeof entry === "object" ? Object.values(entry) : [entry ?? ""];
}

function places(text: string): string {
  return [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort().join(" ");
}

for (const language of languages.filter((name) => name !== "en")) {
  test(`nothing is missing in ${language}, and every value has its place`, () => {
    const texts = catalogue(language);
    assert.deepEqual(Object.keys(texts), messages);
    for (const message of messages) {
      const entry = texts[message];
      for (const form of forms(entry)) {
        assert.notEqual(form.trim(), "", message);
        // A form for one or two things may leave the number out.
        const expected = typeof entry === "object" ? places(message).replace("{count}", "") : places(message);
        const found = typeof entry === "object" ? places(form).replace("{count}", "") : places(form);
        assert.equal(found.trim(), expected.trim(), `${message} → ${form}`);
      }
      assert.equal(typeof entry, message in catalogue("en") ? "object" : "string", message);
    }
  });
}

test("every form that a language needs is there, or falls back to “other”", () => {
  for (const language of languages) {
    for (const [message, entry] of Object.entries(catalogue(language))) {
      if (typeof entry === "object") {
        assert.ok(entry.other, `${language}: ${message}`);
        const known = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
        assert.ok(Object.keys(entry).every((form) => known.some((name) => name === form)), `${language}: ${message}`);
      }
    }
  }
});

test("every text of a catalogue is used", () => {
  const sources = files.map(({ text }) => text).join("\n");
  const labels = new Set(KEYMAP.flatMap((binding) => [binding.group, binding.label ?? ""]));
  const unused = messages.filter((message) => !sources.includes(JSON.stringify(message)) && !labels.has(message));
  assert.deepEqual(unused, []);
});

test("the keymap's labels are in the catalogues", () => {
  const labels = new Set(KEYMAP.flatMap((binding) => [binding.group, ...(binding.label ? [binding.label] : [])]));
  assert.deepEqual([...labels].filter((label) => !messages.includes(label)), []);
});

/** What people read or hear. */
const ATTRIBUTES = new Set(["title", "aria-label", "aria-description", "placeholder", "alt", "label", "noneLabel", "text"]);
/** Signs, not words. */
const SIGNS = new Set(["fx", "Quadrille", "CSV", "JSON"]);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** Words that stand in `node` as they are, not as an argument of `t`. */
function literals(node: Node, inText: boolean): string[] {
  const isWord = (text: unknown): text is string =>
    typeof text === "string" && /\p{L}{2}/u.test(text) && !SIGNS.has(text.trim());
  const found: string[] = [];
  const into = (value: unknown, shown: boolean): void => {
    if (Array.isArray(value)) {
      value.forEach((each) => into(each, shown));
    } else if (isNode(value)) {
      found.push(...literals(value, shown));
    }
  };
  switch (node.type) {
    case "JSXText":
      return isWord(node["value"]) ? [String(node["value"]).trim()] : [];
    case "StringLiteral":
      return inText && isWord(node["value"]) ? [String(node["value"])] : [];
    case "TemplateElement": {
      const cooked = (node["value"] as { cooked?: unknown }).cooked;
      return inText && isWord(cooked) ? [String(cooked)] : [];
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
      into(node["consequent"], inText);
      into(node["alternate"], inText);
      return found;
    case "CallExpression": {
      // What a function gets is its affair, except for messages that are shown.
      const callee = node["callee"] as Node;
      const property = callee["property"];
      const isToast = isNode(property) && property["name"] === "toast";
      into(callee, false);
      into(node["arguments"], isToast);
      return found;
    }
    case "BinaryExpression":
    case "LogicalExpression":
      into(node["left"], inText && node["operator"] === "+");
      into(node["right"], inText && node["operator"] !== "===" && node["operator"] !== "!==");
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
        into(value, inText);
      }
      return found;
  }
}

test("no component says anything that is not in the catalogues", () => {
  const found = files.flatMap(({ path, text }) => {
    const program = parse(text, { sourceType: "module", plugins: ["typescript", "jsx"] }).program;
    return literals(program as unknown as Node, false).map((word) => `${path}: ${word}`);
  });
  assert.deepEqual(found, []);
});

test("the browser's languages lead to the catalogue that is nearest", () => {
  assert.equal(preferred(["pt-BR", "fr-CA", "en"]), "fr");
  assert.equal(preferred(["zh-TW"]), "zh-Hant");
  assert.equal(preferred(["zh-HK", "en"]), "zh-Hant");
  assert.equal(preferred(["zh"]), "zh-Hans");
  assert.equal(preferred(["ar-EG"]), "ar");
  assert.equal(preferred(["tlh", "*"]), "en");
});
