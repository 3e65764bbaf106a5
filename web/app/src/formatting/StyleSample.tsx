/** A button that looks as cells will that it gives its look to. */

import { textColorOn, LINE_CONTRAST, onPaper, TEXT_CONTRAST } from "@quadrille/grid";
import type { BorderFormat, BorderName, FormatChange } from "@quadrille/protocol";
import { createEffect } from "solid-js";
import { readTheme } from "../theme/index.ts";

/** Points of a sheet, so small that a title fits into its sample. */
const SIZE_SHARE = 0.75;
const SIZE_PT_MAX = 15;

/** Those that styles have; CSS draws the others as the first. */
const LINES: Partial<Record<BorderName, string>> = { medium: "2px solid", thick: "3px solid", double: "3px double", dashed: "1px dashed", dotted: "1px dotted" };

export function StyleSample(props: { readonly name: string; readonly format: FormatChange; readonly apply: () => void }) {
  let sample!: HTMLSpanElement;
  createEffect(() => dress(sample, props.format));
  return (
    <button type="button" class="cell-style" onClick={() => props.apply()}>
      <span ref={sample} class="cell-style-sample" dir="auto">
        {props.name}
      </span>
    </button>
  );
}

/** As the grid draws it: a fill has its ink, everything else the paper's. */
function dress(sample: HTMLElement, format: FormatChange): void {
  const { style } = sample;
  const { fillColor, textColor, fontSize } = format;
  if (fillColor) {
    style.backgroundColor = fillColor;
    style.color = textColorOn(Number.parseInt(fillColor.slice(1), 16));
  }
  if (textColor) {
    style.color = fillColor ? textColor : onPaper(numberOf(textColor), readTheme(), TEXT_CONTRAST);
  }
  style.fontWeight = format.bold ? "700" : "";
  style.fontStyle = format.italic ? "italic" : "";
  style.textDecoration = [format.underline ? "underline" : "", format.strikethrough ? "line-through" : ""].join(" ").trim();
  style.fontFamily = format.fontFamily ?? "";
  style.fontSize = fontSize ? `${Math.min(fontSize * SIZE_SHARE, SIZE_PT_MAX)}pt` : "";
  style.borderTop = borderOf(format.borderTop);
  style.borderRight = borderOf(format.borderRight);
  style.borderBottom = borderOf(format.borderBottom);
  style.borderLeft = borderOf(format.borderLeft);
}

function borderOf(border: BorderFormat | null | undefined): string {
  if (!border) {
    return "";
  }
  return `${LINES[border.style] ?? "1px solid"} ${border.color ? onPaper(numberOf(border.color), readTheme(), LINE_CONTRAST) : "currentColor"}`;
}

const numberOf = (color: string): number => Number.parseInt(color.slice(1), 16);
