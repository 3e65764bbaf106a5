/** The countries and their outlines: one file for the client, and one for published pages. */

export * as countries from "./countries.ts";
export * as world from "./world-map.ts";
