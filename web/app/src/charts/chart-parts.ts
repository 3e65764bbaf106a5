/** Parts that charts of all types have: tooltips, and the space of their titles. */

import type { ChartFields, ChartTheme } from "./chart-types.ts";

/** The options of tooltips. */
export function tooltip(theme: ChartTheme): object {
  return {
    backgroundColor: theme.paper,
    borderColor: theme.line,
    textStyle: { color: theme.ink, fontFamily: theme.font },
    confine: true,
    // The content security policy forbids the inline styles of HTML tooltips.
    renderMode: "richText",
  };
}

/** The height of the title and the subtitle at the top, or of the margin without them. */
export function titleHeightPx({ title, subtitle }: Pick<ChartFields, "title" | "subtitle">): number {
  return (title ? 34 : 10) + (subtitle ? 18 : 0);
}
