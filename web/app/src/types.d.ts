/// <reference types="vite/client" />

/** Read as JSON, a type of all its coordinates would be inferred. */
declare module "world-atlas/countries-50m.json" {
  const topology: import("topojson-specification").Topology<{ countries: import("topojson-specification").GeometryCollection<{ name: string }> }>;
  export default topology;
}
