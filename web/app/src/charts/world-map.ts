/** The outlines of countries: data of Natural Earth, in the scale 1:50 million. Loaded with the first map. */

import type { MultiPolygon } from "geojson";
import { feature } from "topojson-client";
import topology from "world-atlas/countries-50m.json";
import { countryOfNumber } from "./countries.ts";
import { type Bounds, type MapPoint, project, turnTo } from "./equal-area.ts";

/** Longitude and latitude of points, in degrees; longitudes continue beyond 180°. */
type Ring = readonly MapPoint[];
/** An outer ring and its holes. */
type Polygon = readonly Ring[];

/** A country. */
interface Country {
  /** Its ISO 3166-1 alpha-2 code; areas without one have a code that no country has. */
  readonly code: string;
  readonly polygons: readonly Polygon[];
}

/** Not drawn: it would take a fifth of the height of the map. */
const ANTARCTICA = "AQ";
/** Kosovo has no numeric code. */
const BY_NAME: Readonly<Record<string, string>> = { Kosovo: "XK" };
/** Parts of a country that are smaller than this part of the largest one do not decide what a map shows. */
const MAIN_SHARE = 0.1;
/** Nor do those beyond an ocean, which are so many degrees of longitude away, such as French Guiana. */
const OCEAN_DEGREES = 30;

let world: readonly Country[] | undefined;

/** The countries that are drawn. */
function countries(): readonly Country[] {
  world ??= feature(topology, topology.objects.countries).features.flatMap(({ id, properties, geometry }, index): Country[] => {
    const code = (id === undefined ? BY_NAME[properties?.name ?? ""] : countryOfNumber(String(id))) ?? `-${index}`;
    if (code === ANTARCTICA || (geometry.type !== "Polygon" && geometry.type !== "MultiPolygon")) {
      return [];
    }
    const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    return [{ code, polygons: polygons.map((rings) => continuous(rings as unknown as Polygon)) }];
  });
  return world;
}

/** The codes of the countries that are drawn. */
export function drawnCountries(): ReadonlySet<string> {
  return new Set(countries().map(({ code }) => code));
}

/**
 * The map around a meridian as GeoJSON in the units of `project`. Each country has its code as its `name`.
 * A part of a country on the other side of the globe is drawn whole, on the side on which most of it is.
 */
export function mapAround(meridian: number): { readonly type: "FeatureCollection"; readonly features: readonly object[] } {
  const features = countries().map(({ code, polygons }) => ({
    type: "Feature",
    properties: { name: code },
    geometry: {
      type: "MultiPolygon",
      coordinates: polygons.map((polygon) => {
        const turn = turnTo(meridian, boundsOf(polygon));
        return polygon.map((ring) => ring.map(([longitude, latitude]) => [...project(longitude + turn - meridian, latitude)]));
      }),
    } satisfies MultiPolygon,
  }));
  return { type: "FeatureCollection", features };
}

/** The main parts of a country, in degrees: the largest one and near ones that are not much smaller. */
export function mainParts(code: string): readonly Bounds[] {
  const polygons = countries().filter((country) => country.code === code).flatMap((country) => country.polygons);
  const areas = polygons.map((polygon) => area(polygon));
  const largest = Math.max(...areas);
  const main = boundsOf(polygons[areas.indexOf(largest)] ?? []);
  return polygons.map(boundsOf).filter((part, at) => {
    const turn = turnTo((main.left + main.right) / 2, part);
    return (areas[at] ?? 0) >= largest * MAIN_SHARE && part.left + turn < main.right + OCEAN_DEGREES && part.right + turn > main.left - OCEAN_DEGREES;
  });
}

/** The rings of a polygon without jumps from 180° to -180°. */
function continuous(rings: Polygon): Polygon {
  const joined = rings.map((ring): Ring => {
    let turn = 0;
    return ring.map(([longitude, latitude], at) => {
      const step = longitude - (ring[at - 1]?.[0] ?? longitude);
      turn -= Math.abs(step) > 180 ? Math.sign(step) * 360 : 0;
      return [longitude + turn, latitude];
    });
  });
  const bounds = boundsOf(joined);
  const middle = (bounds.left + bounds.right) / 2;
  return joined.map((ring) => {
    const turn = turnTo(middle, boundsOf([ring]));
    return turn === 0 ? ring : ring.map(([longitude, latitude]): MapPoint => [longitude + turn, latitude]);
  });
}

/** The bounds of the outer ring. */
function boundsOf([outer = []]: Polygon): Bounds {
  let [left, right, top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const [x, y] of outer) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.max(top, y);
    bottom = Math.min(bottom, y);
  }
  return { left, right, top, bottom };
}

/** The area of the outer ring on the map. */
function area([outer = []]: Polygon): number {
  const points = outer.map(([longitude, latitude]) => project(longitude, latitude));
  const doubled = points.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = points[(at + 1) % points.length] ?? [x, y];
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(doubled) / 2;
}
