/** Formulas of sparklines: one for a whole range, or one for each row or column. */

import { columnCount, type Range, rowCount } from "@quadrille/grid";

/** Type and colors of a sparkline. */
export interface SparklineStyle {
  readonly kind: SparklineKind;
  /** `#rrggbb`. */
  readonly color: string;
  readonly negativeColor: string | undefined;
  readonly axis: boolean;
}

/** The types in the order of the menu. */
export const KINDS = ["line", "column", "bar", "winloss"] as const;
/** The type of a sparkline. */
export type SparklineKind = (typeof KINDS)[number];

/** Default color. */
export const DEFAULT_COLOR = "#1f6f5c";

/** The formula for a range as text; options with default values are left out. */
export function sparklineFormula(data: string, style: SparklineStyle): string {
  const options: readonly (readonly [name: string, value: string])[] = [
    ...(style.kind === "line" ? [] : [["charttype", `"${style.kind}"`] as const]),
    ...(style.color === DEFAULT_COLOR ? [] : [[style.kind === "bar" ? "color1" : "color", `"${style.color}"`] as const]),
    ...(style.negativeColor === undefined || style.kind === "bar" ? [] : [["negcolor", `"${style.negativeColor}"`] as const]),
    ...(style.axis && style.kind !== "bar" ? [["axis", "TRUE"] as const] : []),
  ];
  const optionText = options.map(([name, value]) => `"${name}",${value}`).join(";");
  return optionText === "" ? `=SPARKLINE(${data})` : `=SPARKLINE(${data},{${optionText}})`;
}

/**
 * The data range of each target cell; `undefined` when the sizes of data and target do not match.
 */
export function dataOfEach(data: Range, target: Range): readonly (readonly Range[])[] | undefined {
  const [rows, columns] = [rowCount(target), columnCount(target)];
  if (rows === 1 && columns === 1) {
    return [[data]];
  }
  if (columns === 1 && rows === rowCount(data)) {
    return Array.from({ length: rows }, (_, index) => [{ ...data, top: data.top + index, bottom: data.top + index }]);
  }
  if (rows === 1 && columns === columnCount(data)) {
    return [Array.from({ length: columns }, (_, index) => ({ ...data, left: data.left + index, right: data.left + index }))];
  }
  return undefined;
}

/** The default target: beside the data, one cell for each row, or below a single column. */
export function defaultTarget(data: Range): Range {
  if (data.left === data.right) {
    return { top: data.bottom + 1, bottom: data.bottom + 1, left: data.left, right: data.left };
  }
  return { ...data, left: data.right + 1, right: data.right + 1 };
}
