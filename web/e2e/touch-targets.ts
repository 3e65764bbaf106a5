/** Measures the size of touch targets. */

import type { Page } from "@playwright/test";

/** Minimum recommended by Apple and Android. */
const USUAL_PX = 44;
/** Minimum of WCAG 2.2, 2.5.8. */
const LEAST_PX = 24;

/** Targets with the lower minimum; `style/touch.css` gives the reasons. */
const LOWER: readonly string[] = [".outline-level", ".outline-button"];

/**
 * Targets that are too small, with their sizes. A control with a label is as large as the label.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ usual, least, lower }) => {
      const pressed = "a[href], button, input, select, textarea, summary, [role^=menuitem], [role=tab], [role=option], [role=button], [role=separator][tabindex]";
      const isMeant = (element: Element): boolean =>
        // The grid and its text field have other targets.
        !element.closest("[role=grid], [aria-hidden=true], .cell-field") && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const found: string[] = [];
      for (const element of document.querySelectorAll<HTMLElement>(pressed)) {
        // WCAG exempts links in sentences.
        const isInline = element.matches("p a[href]");
        if (!isMeant(element) || isInline) {
          continue;
        }
        const label = element.matches("input, select, textarea") ? element.closest("label") : null;
        const heights = [element, label].map((one) => one?.getBoundingClientRect().height ?? 0);
        const height = Math.round(Math.max(...heights) * 10) / 10;
        const width = Math.round(element.getBoundingClientRect().width * 10) / 10;
        const wanted = lower.some((selector) => element.matches(selector)) ? least : usual;
        if (height > 0 && (height < wanted || (width < least && !label))) {
          const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30) ?? "";
          found.push(`${element.tagName.toLowerCase()}.${element.className} “${name}” ${width} × ${height}`);
        }
      }
      return [...new Set(found)];
    },
    { usual: USUAL_PX, least: LEAST_PX, lower: [...LOWER] },
  );
}
