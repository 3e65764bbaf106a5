/**
 * Checks each state of the gallery: no axe violations, no clipped content, and large enough touch
 * targets on a phone.
 *
 * A state is checked in one of the settings, because all of them took a third of the time of the browser
 * tests. `GALLERY=all` checks each state in all.
 */

import { violations } from "./axe.ts";
import { clippedContent } from "./gallery/clipped-content.ts";
import { contextOf, createWorkbook, type Setting, openGalleryPage } from "./gallery/gallery-page.ts";
import { GROUPS } from "./gallery/states.ts";
import { expect, test } from "./user.ts";
import { smallTargets } from "./touch-targets.ts";

const SETTINGS: readonly Setting[] = [
  { size: "laptop", scheme: "light", language: "en" },
  { size: "phone", scheme: "dark", language: "ar" },
];

/** Groups whose states show cells. Behind the others is the same sheet, with hundreds of elements to check. */
const WITH_GRID: readonly string[] = ["start", "sheet"];

/** What appears over or beside the sheet. The page behind it is the same in most states, and is checked with the first. */
const OVERLAYS = ".menu, .popover, .panel, [role=dialog]";

/** Groups whose states show one of these. */
const WITH_OVERLAY: readonly string[] = ["menus", "dialogs", "panels", "sharing"];

const isComplete = process.env["GALLERY"] === "all";

for (const [turn, setting] of SETTINGS.entries()) {
  const { size, scheme, language } = setting;
  for (const [group, all] of Object.entries(GROUPS)) {
    const states = all.filter((_, index) => isComplete || index % SETTINGS.length === turn);
    test(`${group} have no layout or accessibility problems: ${size}, ${scheme}, ${language}`, async ({ world }) => {
      // All states run in sequence, on processors that other tests use too.
      test.setTimeout(180_000 + states.length * 30_000);
      const context = await contextOf(world.browser, setting);
      let gallery = await openGalleryPage(context, world.server, language);
      await createWorkbook(gallery);
      const problems: string[] = [];
      // Whether the page shows the common room without anything over it.
      let isUnchanged = false;
      let isTabChanged = false;
      for (const state of states) {
        const goesOn = isUnchanged && state.isOverlay;
        if (!goesOn) {
          await gallery.clear();
        }
        if (isTabChanged) {
          await gallery.close();
          gallery = await openGalleryPage(context, world.server, language);
        }
        if (!goesOn && !state.skipsReset) {
          await gallery.reset();
        }
        await state.show(gallery);
        const found = [
          ...(await violations(gallery.page, { withGrid: WITH_GRID.includes(group), within: state !== states[0] && WITH_OVERLAY.includes(group) ? OVERLAYS : "" })),
          ...(await clippedContent(gallery.page)).map((name) => `cut off: ${name}`),
          ...(size === "phone" ? await smallTargets(gallery.page) : []).map((target) => `too small for a finger: ${target}`),
        ];
        problems.push(...found.map((problem) => `${state.name}: ${problem}`));
        isTabChanged = state.changesTab === true;
        isUnchanged = state.isOverlay === true && (await gallery.closeOverlays());
      }
      await gallery.close();
      await context.close();
      expect(problems).toEqual([]);
    });
  }
}
