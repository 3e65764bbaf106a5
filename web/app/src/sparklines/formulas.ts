/** Formulas of sparklines: one for all the cells they show, or one for each row or column of them. */

import { columnCount, type Range, rowCount } from "@quadrille/grid";

export interface SparklineStyle {
  readonly kind: SparklineKind;
  /** `#rrggbb`. */
  readonly color: string;
  readonly negativeColor: string | undefined;
  readonly axis: boolean;
}

export const KINDS = ["line", "column", "bar", "winloss"] as const;
export type SparklineKind = (typeof KINDS)[number];

/** What the page draws without a colour of one's own. */
export const DEFAULT_COLOR = "#1f6f5c";

/** `data`: as it stands in the formula. Options that change nothing are left out. */
export function sparklineFormula(data: string, look: SparklineStyle): string {
  const options: readonly (readonly [name: string, value: string])[] = [
    ...(look.kind === "line" ? [] : [["charttype", `"${look.kind}"`] as const]),
    ...(look.color === DEFAULT_COLOR ? [] : [[look.kind === "bar" ? "color1" : "color", `"${look.color}"`] as const]),
    ...(look.negativeColor === undefined || look.kind === "bar" ? [] : [["negcolor", `"${look.negativeColor}"`] as const]),
    ...(look.axis && look.kind !== "bar" ? [["axis", "TRUE"] as const] : []),
  ];
  const written = options.map(([name, value]) => `"${name}",${value}`).join(";");
  return written === "" ? `=SPARKLINE(${data})` : `=SPARKLINE(${data},{${written}})`;
}

/** The cells each target shows, row by row of the targets; `undefined` when their numbers do not go together. */
export function dataOfEach(data: Range, target: Range): readonly (readonly Range[])[] | undefined {
  const [rows, columns] = [rowCount(target), columnCount(target)];
  if (rows === 1 && columns === 1) {
    return [[data]];
  }
  if (columns === 1 && rows === rowCount(data)) {
    return Array.from({ length: rows }, (_, at) => [{ ...data, top: data.top + at, bottom: data.top + at }]);
  }
  if (rows === 1 && columns === columnCount(data)) {
    return [Array.from({ length: columns }, (_, at) => ({ ...data, left: data.left + at, right: data.left + at }))];
  }
  return undefined;
}

/** Beside the cells, one for each row; below a single column. */
export function defaultTarget(data: Range): Range {
  if (data.left === data.right) {
    return { top: data.bottom + 1, bottom: data.bottom + 1, left: data.left, right: data.left };
  }
  return { ...data, left: data.right + 1, right: data.right + 1 };
}

