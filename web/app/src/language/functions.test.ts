import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FUNCTIONS } from "@quadrille/protocol/functions";
import { type FunctionWords, functionHelp, describe } from "./functions.ts";
import { LANGUAGES } from "./language.ts";

const FOLDER = join(import.meta.dirname, "functions");

const read = (language: string): FunctionWords => JSON.parse(readFileSync(join(FOLDER, `${language}.json`), "utf8")) as FunctionWords;

/** Names as the registry has them, and as they are looked up: `number2` is `number`, unless it has a word of its own. */
const argumentsOf = ({ arguments: list }: { arguments: string }): string[] => list.match(/[a-z][a-z0-9_]*/g) ?? [];

const sentences = new Set(FUNCTIONS.map(({ summary }) => summary));
const categories = new Set(FUNCTIONS.map(({ category }) => category));
const argumentNames = new Set(FUNCTIONS.flatMap((known) => [known.name, ""].flatMap((name) =>
  argumentsOf(known).flatMap((argument) => [argument, argument.replace(/\d+$/, "")]).map((argument) => (name ? `${name}(${argument})` : argument)),
)));

test("every language but English has words for functions", () => {
  const written = readdirSync(FOLDER).map((file) => file.replace(".json", ""));
  assert.deepEqual(written.sort(), LANGUAGES.map(([language]) => language).filter((language) => language !== "en").sort());
});

for (const language of readdirSync(FOLDER).map((file) => file.replace(".json", ""))) {
  const words = read(language);

  // A sentence that fails here is new, or was changed in `crates/functions`: add it to each file of `language/functions`.
  test(`every function has its sentence in ${language}, and no sentence is left of one that is gone`, () => {
    assert.deepEqual([...sentences].filter((sentence) => !words.sentences[sentence]?.trim()), [], "missing");
    assert.deepEqual(Object.keys(words.sentences).filter((sentence) => !sentences.has(sentence)), [], "of no function");
  });

  test(`every argument and category has its word in ${language}, and no word is for none`, () => {
    const unnamed = FUNCTIONS.flatMap((known) => {
      const shown = argumentsOf(describe(known, { ...words, argumentNames: Object.fromEntries(Object.keys(words.argumentNames).map((name) => [name, "#"])) }));
      return shown.map((argument) => `${known.name}(${argument})`);
    });
    assert.deepEqual(unnamed, [], "missing");
    assert.deepEqual(Object.keys(words.argumentNames).filter((name) => !argumentNames.has(name)), [], "of no function");
    assert.deepEqual(Object.keys(words.categories).sort(), [...categories].sort());
  });

  test(`what is shown in ${language} can be read as arguments`, () => {
    const unreadable = Object.entries(words.argumentNames).filter(([, word]) => !/^[\p{L}\p{M}\p{N}_]+$/u.test(word));
    assert.deepEqual(unreadable, []);
  });

  test(`sentences in ${language} name the same numbers, errors and functions`, () => {
    const facts = (text: string): string[] => text.match(/-?\d+|#[A-Z/]+[!?]?|\b[A-Z]{2,}[A-Z.0-9]*\b/g) ?? [];
    const lost = Object.entries(words.sentences).filter(([sentence, text]) => facts(sentence).some((fact) => !text.includes(fact)));
    assert.deepEqual(lost, []);
  });
}

test("a function in the reader's words, with what is missing in English", () => {
  const words = { sentences: { "Adds.": "Addiert." }, argumentNames: { number: "Zahl", to: "an", "ERF(to)": "bis" }, categories: {} };
  const sum = { name: "SUM", arguments: "number1, [number2], …, [to], [pad_with]", category: "Mathematics", summary: "Adds." };
  const { summary, arguments: list, category } = describe(sum, words);
  assert.deepEqual([summary, list, category], ["Addiert.", "Zahl1, [Zahl2], …, [an], [pad_with]", "Mathematics"]);
  assert.equal(describe({ ...sum, name: "ERF" }, words).arguments, "Zahl1, [Zahl2], …, [bis], [pad_with]");
  assert.equal(describe(sum, undefined).arguments, sum.arguments);
});

test("names from right to left do not turn the order of the arguments", () => {
  const words = { sentences: {}, argumentNames: { number: "رقم" }, categories: {} };
  const { arguments: list } = describe({ name: "SUM", arguments: "number1, [number2], …", category: "", summary: "" }, words);
  assert.equal(list, "\u2068رقم1\u2069, [\u2068رقم2\u2069], …");
});

test("functions are found by the reader's words, by English ones and by name", async () => {
  const found = (await functionHelp("de")).find(({ name }) => name === "MEDIAN");
  for (const word of ["mitte", "middle", "median", "statistik"]) {
    assert.ok(found?.searched.includes(word), word);
  }
});
