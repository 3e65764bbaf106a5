/** Lines round and within a range, as the formats of the cells that have them. */

import { type Range, rangeName } from "@quadrille/grid";
import type { BorderFormat, Command, FormatChange } from "@quadrille/protocol";

export type BorderPosition = "all" | "outer" | "inner" | "top" | "bottom" | "left" | "right" | "none";

const NONE: FormatChange = { borderTop: null, borderRight: null, borderBottom: null, borderLeft: null };

export function borderCommands(sheet: number, range: Range, place: BorderPosition, line: BorderFormat): readonly Command[] {
  const { top, left, bottom, right } = range;
  const on = (part: Range, format: FormatChange): Command => ({ type: "format", sheet, range: rangeName(part), format });
  const edges: readonly Command[] = [
    on({ ...range, bottom: top }, { borderTop: line }),
    on({ ...range, left: right }, { borderRight: line }),
    on({ ...range, top: bottom }, { borderBottom: line }),
    on({ ...range, right: left }, { borderLeft: line }),
  ];
  switch (place) {
    case "all":
      return [on(range, { borderTop: line, borderRight: line, borderBottom: line, borderLeft: line })];
    case "outer":
      return edges;
    case "inner":
      return [
        ...(bottom > top ? [on({ ...range, bottom: bottom - 1 }, { borderBottom: line }), on({ ...range, top: top + 1 }, { borderTop: line })] : []),
        ...(right > left ? [on({ ...range, right: right - 1 }, { borderRight: line }), on({ ...range, left: left + 1 }, { borderLeft: line })] : []),
      ];
    case "top":
      return edges.slice(0, 1);
    case "right":
      return edges.slice(1, 2);
    case "bottom":
      return edges.slice(2, 3);
    case "left":
      return edges.slice(3, 4);
    case "none":
      return [on(range, NONE)];
  }
}
