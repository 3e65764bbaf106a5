/** Every state of the gallery: axe finds nothing, everything that opens lies within the page, and on a phone fingers find what they press. */

import { violations } from "./axe.ts";
import { cutOff } from "./gallery/cut.ts";
import { contextOf, furnish, type Setting, stageOf } from "./gallery/stage.ts";
import { GROUPS } from "./gallery/states.ts";
import { expect, test } from "./sheet.ts";
import { smallTargets } from "./targets.ts";

const SETTINGS: readonly Setting[] = [
  { size: "laptop", scheme: "light", language: "en" },
  { size: "phone", scheme: "dark", language: "ar" },
];

for (const setting of SETTINGS) {
  const { size, scheme, language } = setting;
  for (const [group, states] of Object.entries(GROUPS)) {
    test(`nothing is wrong with ${group} on a ${size}, ${scheme}, ${language}`, async ({ world }) => {
      // One page after the other: as long as many tests together.
      test.setTimeout(90_000 + states.length * 15_000);
      const context = await contextOf(world.browser, setting);
      const first = await stageOf(context, world.server, language);
      await furnish(first);
      await first.page.close();
      const problems: string[] = [];
      for (const state of states) {
        const stage = await stageOf(context, world.server, language);
        if (!state.isAlone) {
          await stage.reset();
        }
        await state.show(stage);
        const found = [
          ...(await violations(stage.page)),
          ...(await cutOff(stage.page)).map((name) => `cut off: ${name}`),
          ...(size === "phone" ? await smallTargets(stage.page) : []).map((target) => `too small for a finger: ${target}`),
        ];
        problems.push(...found.map((problem) => `${state.name}: ${problem}`));
        await stage.close();
      }
      await context.close();
      expect(problems).toEqual([]);
    });
  }
}
