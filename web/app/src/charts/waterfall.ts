/** The steps of waterfall charts. */

/** A step from one sum to the next. */
export interface Step {
  readonly from: number;
  readonly to: number;
}

/** The steps of numbers that are added one after the other, and the step from zero to their sum. */
export function waterfallSteps(values: readonly (number | null)[]): readonly [steps: readonly Step[], total: Step] {
  let sum = 0;
  const steps = values.map((value): Step => {
    const from = sum;
    sum += value ?? 0;
    return { from, to: sum };
  });
  return [steps, { from: 0, to: sum }];
}
