export { absoluteName, type CellReference, positionOf, sheetPrefix } from "./references.ts";
