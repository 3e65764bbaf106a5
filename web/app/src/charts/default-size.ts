/** In CSS pixels, for a chart that says nothing of its size. */
export const DEFAULT_SIZE = { width: 480, height: 300 };
