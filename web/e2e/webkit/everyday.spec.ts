/** Everyday work in WebKit. */

import { everydayTests } from "../browsers/everyday-tests.ts";
import { test } from "./browser.ts";

// One worker, which starts two displays for all tests.
test.describe.configure({ mode: "default" });

everydayTests(test);
