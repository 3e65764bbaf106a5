/// <reference types="vite/client" />

/** Read as JSON, a type of all its coordinates would be inferred. */
declare module "world-atlas/countries-50m.json" {
  const topology: import("topojson-specification").Topology<{ countries: import("topojson-specification").GeometryCollection<{ name: string }> }>;
  export default topology;
}

/** Modules of flechette: its index has no way to read a file whose dictionaries are behind its rows. */
declare module "@uwdata/flechette/src/constants.js" {
  export { CompressionType, Endianness, IntervalUnit, TimeUnit, Type } from "@uwdata/flechette";
}
declare module "@uwdata/flechette/src/compression.js" {
  export { setCompressionCodec } from "@uwdata/flechette";
}
declare module "@uwdata/flechette/src/decode/decode-ipc.js" {
  export function decodeIPC(data: Uint8Array): import("@uwdata/flechette").ArrowData;
}
declare module "@uwdata/flechette/src/decode/table-from-ipc.js" {
  export function createTable(
    data: import("@uwdata/flechette").ArrowData,
    options: import("@uwdata/flechette").ExtractionOptions,
  ): import("@uwdata/flechette").Table;
}
