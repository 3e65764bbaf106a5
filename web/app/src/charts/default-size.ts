/** Size of a chart whose item has no size, in CSS pixels. */
export const DEFAULT_CHART_SIZE = { width: 480, height: 300 };
