/**
 * The Equal Earth projection (Šavrič, Patterson and Jenny, 2018): areas on the map have the ratios of those
 * on the globe, because the color of a large country should not weigh more than it is large.
 */

/** A point on a map, in radii of the globe: to the right and upwards. */
export type MapPoint = readonly [x: number, y: number];

/** The bounds of a part of the globe or of a map. */
export interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The coefficients that the authors published. */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796];
const ROOT = Math.sqrt(3);

/** The place of a point `longitude` degrees east of the middle of the map. */
export function project(longitude: number, latitude: number): MapPoint {
  const angle = Math.asin((ROOT / 2) * Math.sin(radians(latitude)));
  const square = angle * angle;
  const sixth = square * square * square;
  const slope = 9 * A4 * sixth * square + 7 * A3 * sixth + 3 * A2 * square + A1;
  return [(2 * ROOT * radians(longitude) * Math.cos(angle)) / (3 * slope), angle * (A1 + A2 * square + sixth * (A3 + A4 * square))];
}

/**
 * How much wider than high small circles at a latitude are drawn in the middle of the map. A map of a region
 * is narrowed by it: areas keep their ratios.
 */
export function stretch(latitude: number): number {
  const [x] = project(1, latitude);
  return (x / (radians(1) * Math.cos(radians(latitude)))) ** 2;
}

/** The turn of the globe that brings the middle of a part as near as possible to a meridian. */
export function turnTo(meridian: number, { left, right }: Bounds): number {
  return 360 * Math.round((meridian - (left + right) / 2) / 360);
}

/** The bounds on a map around a meridian of a part of the globe, in degrees. */
export function boundsAround(meridian: number, part: Bounds): Bounds {
  const { left, right, top, bottom } = part;
  const turn = turnTo(meridian, part) - meridian;
  // The parallel that is nearest to the equator is the longest one.
  const longest = bottom > 0 ? bottom : top < 0 ? top : 0;
  const xs = [left, right].flatMap((longitude) => [top, bottom, longest].map((latitude) => project(longitude + turn, latitude)[0]));
  return { left: Math.min(...xs), right: Math.max(...xs), top: project(0, top)[1], bottom: project(0, bottom)[1] };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
