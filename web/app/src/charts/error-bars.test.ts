import assert from "node:assert/strict";
import { test } from "node:test";
import { type Ends, errorBarSeries, errorEnds, errorLength, type ErrorBarStyle } from "./error-bars.ts";

const VALUES = [3.1, 4.9, 9.2, 15.8, 26.5, 41];

function near(actual: readonly (Ends | null)[], expected: readonly (Ends | null)[]): void {
  assert.equal(actual.length, expected.length);
  expected.forEach((ends, at) => {
    const found = actual[at];
    assert.ok(ends ? found && ends.every((end, side) => Math.abs(end - (found[side] ?? Number.NaN)) < 1e-9) : found === null, `${at}: ${String(found)}, not ${String(ends)}`);
  });
}

test("the standard deviation and the standard error equal those of numpy", () => {
  // numpy 2.4: std(ddof=1), and that divided by sqrt(6).
  assert.ok(Math.abs((errorLength({ errorBars: "standardDeviation" }, VALUES) ?? 0) - 14.613521136262815) < 1e-12);
  assert.ok(Math.abs((errorLength({ errorBars: "standardDeviation", errorAmount: 2 }, [...VALUES, null]) ?? 0) - 29.22704227252563) < 1e-12);
  assert.ok(Math.abs((errorLength({ errorBars: "standardError" }, VALUES) ?? 0) - 5.9659450215368235) < 1e-12);
  for (const errorBars of ["standardDeviation", "standardError"]) {
    assert.deepEqual(errorEnds({ errorBars }, [4, null]), [null, null]);
  }
});

test("error bars have a fixed length or a percentage of the value, in the direction of the series", () => {
  near(errorEnds({ errorBars: "fixed", errorAmount: 2.5 }, [4, null, -1]), [[1.5, 6.5], null, [-3.5, 1.5]]);
  near(errorEnds({ errorBars: "percent", errorAmount: 10, errorDirection: "plus" }, [40, -20]), [[40, 44], [-20, -18]]);
  near(errorEnds({ errorBars: "percent", errorDirection: "minus" }, [40]), [[38, 40]]);
  near(errorEnds({ errorBars: "fixed" }, [4]), [[3, 5]]);
  near(errorEnds({ errorBars: "none" }, [4]), [null]);
  near(errorEnds({}, [4]), [null]);
});

const STYLE: ErrorBarStyle = { color: "#000", isHorizontal: false, isLogarithmic: false, bars: undefined, index: 0, barWidthPxMax: 56 };

interface Line {
  readonly shape: { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };
}

/** The lines of the first error bar, where one unit is 10 pixels on both axes and the origin is at the top left. */
function linesOf(fields: Parameters<typeof errorBarSeries>[0], values: readonly number[], style: Partial<ErrorBarStyle> = {}): readonly (readonly number[])[] {
  const { data, renderItem } = errorBarSeries(fields, values, values.map((_, at) => at), { ...STYLE, ...style });
  const first = (data as number[][])[0] ?? [];
  const api = {
    value: (at: number) => first[at],
    coord: (point: readonly number[]) => point.map((number) => number * 10),
    currentSeriesIndices: () => [0, 2, 3],
    barLayout: ({ count }: { readonly count: number }) => Array.from({ length: count }, (_, at) => ({ offsetCenter: (at - (count - 1) / 2) * 20, width: 18 })),
  };
  const drawn = renderItem?.({} as Parameters<NonNullable<typeof renderItem>>[0], api as unknown as Parameters<NonNullable<typeof renderItem>>[1]);
  return ((drawn as { readonly children: readonly Line[] }).children).map(({ shape: { x1, y1, x2, y2 } }) => [x1, y1, x2, y2]);
}

test("an error bar is a line with a cap at each end, or at its only end", () => {
  assert.deepEqual(linesOf({ errorBars: "fixed", errorAmount: 2 }, [5]), [[0, 30, 0, 70], [-5, 30, 5, 30], [-5, 70, 5, 70]]);
  assert.deepEqual(linesOf({ errorBars: "fixed", errorAmount: 2, errorDirection: "plus" }, [5]), [[0, 50, 0, 70], [-5, 70, 5, 70]]);
  assert.deepEqual(linesOf({ errorBars: "fixed", errorAmount: 2, errorDirection: "minus" }, [5], { isHorizontal: true }), [[30, 0, 50, 0], [30, -5, 30, 5]]);
});

test("an error bar is in the middle of its bar, beside the bars that are not hidden", () => {
  // Of the bars 0, 1 and 2, the legend hides 1; series 3 is a line.
  assert.deepEqual(linesOf({ errorBars: "fixed" }, [5], { bars: [0, 1, 2], index: 2 })[0], [10, 40, 10, 60]);
  assert.deepEqual(linesOf({ errorBars: "fixed" }, [5], { bars: [0, 1, 2], index: 0 })[0], [-10, 40, -10, 60]);
});

test("on a logarithmic axis, ends at or below 0 are left out", () => {
  const { data } = errorBarSeries({ errorBars: "fixed", errorAmount: 2 }, [1, 5, 0], [0, 1, 2], { ...STYLE, isLogarithmic: true });
  assert.deepEqual(data, [[0, 1, 3], [1, 3, 7]]);
});
