/** Commands for borders around and inside of a range. */

import { type Range, rangeName } from "@quadrille/grid";
import type { BorderFormat, Command, FormatChange } from "@quadrille/protocol";

/** Which borders of a range are set. */
export type BorderPosition = "all" | "outer" | "inner" | "top" | "bottom" | "left" | "right" | "diagonalUp" | "diagonalDown" | "none";

const NO_BORDERS: FormatChange = {
  borderTop: null,
  borderRight: null,
  borderBottom: null,
  borderLeft: null,
  borderDiagonalUp: null,
  borderDiagonalDown: null,
};

/** The commands that set the borders at `position` to `line`. */
export function borderCommands(sheet: number, range: Range, position: BorderPosition, line: BorderFormat): readonly Command[] {
  const { top, left, bottom, right } = range;
  const format = (part: Range, change: FormatChange): Command => ({ type: "format", sheet, range: rangeName(part), format: change });
  const edges: readonly Command[] = [
    format({ ...range, bottom: top }, { borderTop: line }),
    format({ ...range, left: right }, { borderRight: line }),
    format({ ...range, top: bottom }, { borderBottom: line }),
    format({ ...range, right: left }, { borderLeft: line }),
  ];
  switch (position) {
    case "all":
      return [format(range, { borderTop: line, borderRight: line, borderBottom: line, borderLeft: line })];
    case "outer":
      return edges;
    case "inner":
      return [
        ...(bottom > top ? [format({ ...range, bottom: bottom - 1 }, { borderBottom: line }), format({ ...range, top: top + 1 }, { borderTop: line })] : []),
        ...(right > left ? [format({ ...range, right: right - 1 }, { borderRight: line }), format({ ...range, left: left + 1 }, { borderLeft: line })] : []),
      ];
    case "top":
      return edges.slice(0, 1);
    case "right":
      return edges.slice(1, 2);
    case "bottom":
      return edges.slice(2, 3);
    case "left":
      return edges.slice(3, 4);
    case "diagonalUp":
      return [format(range, { borderDiagonalUp: line })];
    case "diagonalDown":
      return [format(range, { borderDiagonalDown: line })];
    case "none":
      return [format(range, NO_BORDERS)];
  }
}
