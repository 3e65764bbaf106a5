import assert from "node:assert/strict";
import test from "node:test";

import { localeSettings } from "./locale.ts";

test("the country of the browser is used if it fits the language of the page", () => {
  const tag = (language: string, preferred: string[]): unknown => {
    const event = localeSettings({ language, isR1c1: false, names: [] }, preferred, 60);
    return event.type === "place" ? event.language : undefined;
  };
  assert.equal(tag("de", ["en-US", "de-AT"]), "de-AT");
  assert.equal(tag("en", ["en-GB", "de"]), "en-GB");
  assert.equal(tag("ja", ["en-US"]), "ja");
});
