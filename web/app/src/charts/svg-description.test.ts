import assert from "node:assert/strict";
import { test } from "node:test";
import { svgWithDescription } from "./svg-description.ts";

test("an image has a title and a description without markup", () => {
  const texts = { title: "Q1 <b>&\u0000", description: "North: May 30" };
  assert.equal(
    svgWithDescription('<svg width="2">\n<rect/></svg>', texts),
    '<svg width="2">\n<title>Q1 &lt;b&gt;&amp;</title>\n<desc>North: May 30</desc>\n<rect/></svg>',
  );
});
