import assert from "node:assert/strict";
import { test } from "node:test";
import codes from "i18n-iso-countries/codes.json";
import { areCountries, countryOf } from "./countries.ts";
import { drawnCountries } from "./world-map.ts";

/** Texts of cells, and the country that each names. */
const CASES: readonly (readonly [code: string | undefined, ...texts: readonly string[]])[] = [
  ["US", "US", "us", "USA", "U.S.A.", "840", "United States", "United States of America", "the United States", "America", "Vereinigte Staaten", "États-Unis", "etats unis", "EE. UU.", "アメリカ合衆国", "美国", "🇺🇸"],
  ["GB", "GB", "GBR", "UK", "U.K.", "United Kingdom", "Great Britain", "Großbritannien", "GROSSBRITANNIEN", "Royaume-Uni", "Reino Unido", "イギリス", "英国"],
  ["KR", "South Korea", "Korea, Rep.", "Republic of Korea", "Südkorea", "Corée du Sud", "韓国"],
  ["KP", "North Korea", "Korea, Dem. People's Rep.", "Nordkorea"],
  ["CZ", "Czechia", "Czech Republic", "Tschechien", "Tchéquie"],
  ["CI", "Côte d'Ivoire", "Cote d’Ivoire", "Ivory Coast", "Elfenbeinküste"],
  ["CD", "DR Congo", "Congo, Dem. Rep.", "Democratic Republic of the Congo", "Congo (Kinshasa)"],
  ["CG", "Congo", "Congo, Rep.", "Congo (Brazzaville)"],
  ["BO", "Bolivia", "Bolivia (Plurinational State of)"],
  ["TR", "Türkiye", "Turkey", "Turkiye"],
  ["NL", "Netherlands", "The Netherlands", "Holland", "Países Bajos"],
  ["BA", "Bosnia and Herzegovina", "Bosnia & Herzegovina"],
  ["GM", "Gambia, The", "Gambia"],
  ["AF", "4", "004", "أفغانستان"],
  ["XK", "Kosovo"],
  ["GE", "Georgia", "Georgien"],
  ["NE", "Niger"],
  [undefined, "", "Atlantis", "Total", "Paris", "Rep.", "999", "1234", "🇦", "🇽🇽", "Congo and more"],
];

for (const [code, ...texts] of CASES) {
  test(`${texts.slice(0, 3).join(", ")} … are ${code ?? "no country"}`, () => {
    assert.deepEqual(texts.map((text) => [text, countryOf(text)]), texts.map((text) => [text, code]));
  });
}

test("every code and every name in each language is found", () => {
  for (const [alpha2 = "", alpha3 = "", numeric = ""] of codes) {
    assert.deepEqual([alpha2, alpha3, numeric].map(countryOf), [alpha2, alpha2, alpha2]);
    for (const language of ["en", "de", "fr", "es", "ja", "zh-Hans", "zh-Hant", "ar"]) {
      const name = new Intl.DisplayNames([language], { type: "region" }).of(alpha2) ?? "";
      assert.equal(countryOf(name), alpha2, `${name} in ${language}`);
    }
  }
});

test("columns of countries are told from those of states, languages and answers", () => {
  assert.equal(areCountries(["France", "Germany", "ITA", "Total", ""]), false, "three of four");
  assert.equal(areCountries(["France", "Germany", "ITA", "Spain", "Total", ""]), true);
  assert.equal(areCountries(["CA", "DE", "AL", "CO"]), false, "also states of the USA");
  assert.equal(areCountries(["France", "France", "France"]), false);
  assert.equal(areCountries(["Yes", "No", "No"]), false);
  assert.equal(areCountries([]), false);
});

test("the map has all countries but a few small territories", () => {
  const drawn = drawnCountries();
  const missing = codes.map(([alpha2 = ""]) => alpha2).filter((code) => !drawn.has(code));
  // Antarctica, overseas parts of France, the Netherlands, Norway, New Zealand and Australia, islands and Gibraltar.
  assert.deepEqual(missing.toSorted(), ["AQ", "BQ", "BV", "CC", "CX", "GF", "GI", "GP", "MQ", "RE", "SJ", "TK", "TV", "UM", "YT"]);
});
