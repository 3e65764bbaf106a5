/** Finds content that is not fully visible: boxes outside the page and clipped texts. */

import type { Page } from "@playwright/test";

/**
 * Overlays and panels that exceed the page, texts that are clipped without an ellipsis, choices
 * that are longer than their fields, and whether the page scrolls horizontally.
 */
export function clippedContent(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { innerWidth, innerHeight } = window;
    const boxes = [...document.querySelectorAll(".menu, .popover, .modal, .panel, .formula-help, .error-help, .find, .toast")]
      .filter((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
      })
      .map((element) => element.className);

    const texts: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const words = node.textContent?.trim() ?? "";
      const element = node.parentElement;
      // The ARIA grid is not visible, and the outline scrolls with the sheet.
      if (words === "" || !element || element.closest("[role=grid], .outline, .visually-hidden, script, style, option, textarea")) {
        continue;
      }
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      let isCut = text.width > 0 && (text.left < -1 || text.right > innerWidth + 1);
      for (let box: Element | null = element; box; box = box.parentElement) {
        const { overflowX, textOverflow, visibility } = getComputedStyle(box);
        const { left, right, width } = box.getBoundingClientRect();
        // Scrollable, ellipsized and visually hidden content is not clipped.
        if (overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis" || visibility === "hidden" || width <= 1) {
          isCut = false;
          break;
        }
        if (overflowX !== "visible" && text.width > 0 && (text.left < left - 1.5 || text.right > right + 1.5)) {
          isCut = true;
          break;
        }
      }
      if (isCut) {
        texts.push(`text: ${words.slice(0, 40)}`);
      }
    }

    const pen = document.createElement("canvas").getContext("2d");
    const choices = [...document.querySelectorAll("select")].flatMap((select) => {
      const words = select.selectedOptions[0]?.textContent?.trim() ?? "";
      const style = getComputedStyle(select);
      if (!pen || select.clientWidth === 0) {
        return [];
      }
      pen.font = style.font;
      const room = select.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      return pen.measureText(words).width > room + 1 && style.textOverflow !== "ellipsis" ? [`choice: ${words}`] : [];
    });
    return [...boxes, ...texts, ...choices, ...(document.documentElement.scrollWidth > innerWidth ? ["page"] : [])];
  });
}
