/** Which part of the globe a map shows. */

import { type Bounds, boundsAround, project, stretch } from "./equal-area.ts";

/** A part of the globe on a map. */
export interface MapView {
  /** The meridian in the middle of the projection. */
  readonly meridian: number;
  /** What is shown, in the units of the projection. */
  readonly box: Bounds;
  /** How much the map is narrowed, so that shapes in its middle are those on the globe. */
  readonly narrowing: number;
}

/** The edge of a map around 11° E cuts through the Bering Strait instead of countries. */
const WORLD_MERIDIAN = 11;
/** Inhabited land lies between these latitudes. */
const WORLD_LATITUDES = [-57, 85] as const;
/** Countries in a wider part of the globe are shown on a map of the world, in degrees of longitude. */
const REGION_WIDTH_MAX = 170;
/** Middles of maps of regions are multiples of it: maps of near regions are the same one. */
const MERIDIAN_STEP = 15;
/** Around the countries, as a part of the height and width of the map. */
const MARGIN = 0.06;
/** The least height of what is shown, about 11 degrees: borders have no more details. */
const HEIGHT_MIN = 0.2;

/** The map of the world. */
export function worldView(): MapView {
  const [south, north] = WORLD_LATITUDES;
  const [right] = project(180, 0);
  return { meridian: WORLD_MERIDIAN, box: { left: -right, right, top: project(0, north)[1], bottom: project(0, south)[1] }, narrowing: 1 };
}

/**
 * The map that shows `parts`, which are bounds in degrees, in a frame with the ratio `aspect` of width to
 * height.
 */
export function viewOf(parts: readonly Bounds[], aspect: number): MapView {
  const span = longitudesOf(parts);
  if (!span || span.width > REGION_WIDTH_MAX) {
    return worldView();
  }
  const meridian = MERIDIAN_STEP * Math.round((span.left + span.width / 2) / MERIDIAN_STEP);
  const around = parts.map((part) => boundsAround(meridian, part));
  const box = {
    left: Math.min(...around.map(({ left }) => left)),
    right: Math.max(...around.map(({ right }) => right)),
    top: Math.max(...around.map(({ top }) => top)),
    bottom: Math.min(...around.map(({ bottom }) => bottom)),
  };
  const latitude = (Math.max(...parts.map(({ top }) => top)) + Math.min(...parts.map(({ bottom }) => bottom))) / 2;
  const narrowing = 1 / stretch(latitude);
  const height = Math.max(HEIGHT_MIN, (box.top - box.bottom) * (1 + 2 * MARGIN), ((box.right - box.left) * (1 + 2 * MARGIN) * narrowing) / aspect);
  const width = (height * aspect) / narrowing;
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const world = worldView();
  if (height > world.box.top - world.box.bottom) {
    return world;
  }
  return { meridian, box: { left: x - width / 2, right: x + width / 2, top: y + height / 2, bottom: y - height / 2 }, narrowing };
}

/** The longitudes that contain all parts: all but the widest gap between them. */
function longitudesOf(parts: readonly Bounds[]): { readonly left: number; readonly width: number } | undefined {
  const sorted = parts.map(({ left, right }) => ({ left: between(left), width: right - left })).sort((a, b) => a.left - b.left);
  const [first] = sorted;
  if (!first) {
    return undefined;
  }
  let reach = first.left + first.width;
  let widest = { gap: Number.NEGATIVE_INFINITY, left: first.left };
  for (const { left, width } of [...sorted.slice(1), { left: first.left + 360, width: 0 }]) {
    if (left - reach > widest.gap) {
      widest = { gap: left - reach, left: between(left) };
    }
    reach = Math.max(reach, left + width);
  }
  return { left: widest.left, width: 360 - Math.max(0, widest.gap) };
}

/** A longitude from -180° to 180°. */
function between(longitude: number): number {
  return longitude - 360 * Math.floor((longitude + 180) / 360);
}
