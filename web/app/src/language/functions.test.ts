import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FUNCTIONS } from "@quadrille/protocol/functions";
import { type FunctionTexts, functionHelp, translateFunction } from "./functions.ts";
import { LANGUAGES } from "./language.ts";

const FOLDER = join(import.meta.dirname, "functions");

const read = (language: string): FunctionTexts => JSON.parse(readFileSync(join(FOLDER, `${language}.json`), "utf8")) as FunctionTexts;

/**
 * Argument names of the registry, as they are looked up: `number2` is `number` unless it has its
 * own translation.
 */
const argumentsOf = ({ arguments: list }: { arguments: string }): string[] => list.match(/[a-z][a-z0-9_]*/g) ?? [];

const sentences = new Set(FUNCTIONS.map(({ summary }) => summary));
const categories = new Set(FUNCTIONS.map(({ category }) => category));
const argumentNames = new Set(FUNCTIONS.flatMap((details) => [details.name, ""].flatMap((name) =>
  argumentsOf(details).flatMap((argument) => [argument, argument.replace(/\d+$/, "")]).map((argument) => (name ? `${name}(${argument})` : argument)),
)));

test("every language except English has descriptions of functions", () => {
  const written = readdirSync(FOLDER).map((file) => file.replace(".json", ""));
  assert.deepEqual(written.sort(), LANGUAGES.map(([language]) => language).filter((language) => language !== "en").sort());
});

for (const language of readdirSync(FOLDER).map((file) => file.replace(".json", ""))) {
  const words = read(language);

  // When this fails, a description was added or changed in `crates/functions`: add it to each file
  // of `language/functions`.
  test(`the ${language} descriptions of functions are complete and have no leftovers`, () => {
    assert.deepEqual([...sentences].filter((sentence) => !words.sentences[sentence]?.trim()), [], "missing");
    assert.deepEqual(Object.keys(words.sentences).filter((sentence) => !sentences.has(sentence)), [], "unused");
  });

  test(`the ${language} names of arguments and categories are complete and have no leftovers`, () => {
    const unnamed = FUNCTIONS.flatMap((details) => {
      const untranslated = argumentsOf(translateFunction(details, { ...words, argumentNames: Object.fromEntries(Object.keys(words.argumentNames).map((name) => [name, "#"])) }));
      return untranslated.map((argument) => `${details.name}(${argument})`);
    });
    assert.deepEqual(unnamed, [], "missing");
    assert.deepEqual(Object.keys(words.argumentNames).filter((name) => !argumentNames.has(name)), [], "unused");
    assert.deepEqual(Object.keys(words.categories).sort(), [...categories].sort());
  });

  test(`the ${language} names of arguments are single words`, () => {
    const unreadable = Object.entries(words.argumentNames).filter(([, word]) => !/^[\p{L}\p{M}\p{N}_]+$/u.test(word));
    assert.deepEqual(unreadable, []);
  });

  test(`the ${language} descriptions mention the same numbers, errors and functions`, () => {
    const facts = (text: string): string[] => text.match(/-?\d+|#[A-Z/]+[!?]?|\b[A-Z]{2,}[A-Z.0-9]*\b/g) ?? [];
    const lost = Object.entries(words.sentences).filter(([sentence, text]) => facts(sentence).some((fact) => !text.includes(fact)));
    assert.deepEqual(lost, []);
  });
}

test("missing translations of a function stay in English", () => {
  const words = { sentences: { "Adds.": "Addiert." }, argumentNames: { number: "Zahl", to: "an", "ERF(to)": "bis" }, categories: {} };
  const sum = { name: "SUM", arguments: "number1, [number2], …, [to], [pad_with]", category: "Mathematics", summary: "Adds." };
  const { summary, arguments: list, category } = translateFunction(sum, words);
  assert.deepEqual([summary, list, category], ["Addiert.", "Zahl1, [Zahl2], …, [an], [pad_with]", "Mathematics"]);
  assert.equal(translateFunction({ ...sum, name: "ERF" }, words).arguments, "Zahl1, [Zahl2], …, [bis], [pad_with]");
  assert.equal(translateFunction(sum, undefined).arguments, sum.arguments);
});

test("right-to-left names of arguments are isolated", () => {
  const words = { sentences: {}, argumentNames: { number: "رقم" }, categories: {} };
  const { arguments: list } = translateFunction({ name: "SUM", arguments: "number1, [number2], …", category: "", summary: "" }, words);
  assert.equal(list, "\u2068رقم1\u2069, [\u2068رقم2\u2069], …");
});

test("functions have the names of the language and are sorted by them", async () => {
  const names: Readonly<Record<string, string>> = { SUM: "SUMME", COUNTIF: "ZÄHLENWENN", ROUNDDOWN: "ABRUNDEN" };
  const functions = await functionHelp("de", (english) => names[english] ?? english);
  const places = ["ABRUNDEN", "SUMME", "ZÄHLENWENN"].map((name) => functions.findIndex((help) => help.name === name));
  assert.ok(places.every((place, index) => place > (places[index - 1] ?? -1)), String(places));
  assert.equal(functions.find(({ name }) => name === "SUMME")?.englishName, "SUM");
});

test("functions are found by translated words, English words and name", async () => {
  const median = (await functionHelp("de")).find(({ name }) => name === "MEDIAN");
  for (const word of ["mitte", "middle", "median", "statistik"]) {
    assert.ok(median?.searchText.includes(word), word);
  }
});
