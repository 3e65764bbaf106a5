/** A button that previews a format. */

import { textColorOn, LINE_CONTRAST, onPaper, TEXT_CONTRAST } from "@quadrille/grid";
import type { BorderFormat, BorderName, FormatChange } from "@quadrille/protocol";
import { createEffect } from "solid-js";
import { readTheme } from "../theme/index.ts";

/** Scale of font sizes in samples, and their maximum, so that titles fit. */
const SIZE_SCALE = 0.75;
const SIZE_PT_MAX = 15;

/** CSS borders of the line styles that cell styles use; others are drawn as thin lines. */
const BORDER_CSS: Partial<Record<BorderName, string>> = { medium: "2px solid", thick: "3px solid", double: "3px double", dashed: "1px dashed", dotted: "1px dotted" };

/** A button that previews a format and applies it; pressed if the active cell has it. */
export function StyleSample(props: { readonly name: string; readonly format: FormatChange; readonly isActive: boolean; readonly apply: () => void }) {
  let sample!: HTMLSpanElement;
  createEffect(() => applyFormat(sample, props.format));
  return (
    <button type="button" class="cell-style" aria-pressed={props.isActive} onClick={() => props.apply()}>
      <span ref={sample} class="cell-style-sample" dir="auto">
        {props.name}
      </span>
    </button>
  );
}

/**
 * Styles the sample as the grid draws cells: text on a fill has its own color, other text is
 * adapted to the background.
 */
function applyFormat(sample: HTMLElement, format: FormatChange): void {
  const { style } = sample;
  const { fillColor, textColor, fontSize } = format;
  if (fillColor) {
    style.backgroundColor = fillColor;
    style.color = textColorOn(Number.parseInt(fillColor.slice(1), 16));
  }
  if (textColor) {
    style.color = fillColor ? textColor : onPaper(colorNumber(textColor), readTheme(), TEXT_CONTRAST);
  }
  style.fontWeight = format.bold ? "700" : "";
  style.fontStyle = format.italic ? "italic" : "";
  style.textDecoration = [format.underline ? "underline" : "", format.strikethrough ? "line-through" : ""].join(" ").trim();
  style.textDecorationStyle = format.underlineStyle?.startsWith("double") ? "double" : "";
  style.fontFamily = format.fontFamily ?? "";
  style.fontSize = fontSize ? `${Math.min(fontSize * SIZE_SCALE, SIZE_PT_MAX)}pt` : "";
  style.borderTop = borderOf(format.borderTop);
  style.borderRight = borderOf(format.borderRight);
  style.borderBottom = borderOf(format.borderBottom);
  style.borderLeft = borderOf(format.borderLeft);
}

function borderOf(border: BorderFormat | null | undefined): string {
  if (!border) {
    return "";
  }
  return `${BORDER_CSS[border.style] ?? "1px solid"} ${border.color ? onPaper(colorNumber(border.color), readTheme(), LINE_CONTRAST) : "currentColor"}`;
}

const colorNumber = (color: string): number => Number.parseInt(color.slice(1), 16);
