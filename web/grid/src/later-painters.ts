/** Painters of what few sheets have, in one file that is loaded with the first cell that needs one. */

export { paintIcon } from "./paint-icons.ts";
export { paintFace } from "./paint-face.ts";
export { paintRating, starAt } from "./paint-rating.ts";
export { paintSparkline } from "./paint-sparkline.ts";
