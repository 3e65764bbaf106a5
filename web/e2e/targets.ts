/** What fingers press: how large it is, measured on the page. */

import type { Page } from "@playwright/test";

/** As Apple and Android ask for. */
const USUAL_PX = 44;
/** WCAG 2.2, 2.5.8: less than this nothing may be that is pressed. */
const LEAST_PX = 24;

/** What may be lower than usual, for a reason that `style/touch.css` gives. */
const LOWER: readonly string[] = [".outline-level", ".outline-button"];

/** What is pressed and too small, with its size; what a label belongs to is as large as the label. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ usual, least, lower }) => {
      const pressed = "a[href], button, input, select, textarea, summary, [role^=menuitem], [role=tab], [role=option], [role=button], [role=separator][tabindex]";
      const isMeant = (element: Element): boolean =>
        // The cells have handles and a size of their own; a field for them lies where they are.
        !element.closest("[role=grid], [aria-hidden=true], .cell-field") && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const found: string[] = [];
      for (const element of document.querySelectorAll<HTMLElement>(pressed)) {
        // A link within a sentence is as high as its line.
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
