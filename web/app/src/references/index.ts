/** References to cells as text: `B2`, `Sheet2!A1:B9`. */

export { absoluteName, absoluteRange, type CellReference, onlyCell, parseReference, sheetPrefix } from "./references.ts";
