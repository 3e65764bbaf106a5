/** Everyday work in Firefox. */

import { everydayTests } from "../browsers/everyday-tests.ts";
import { test } from "./window.ts";

// One Firefox for all tests.
test.describe.configure({ mode: "default" });

everydayTests(test);
