/** Where links of cells lead: addresses on the web, of mail and of telephones, and places in the workbook (`#Sheet2!B7`). */

import { parseRange, rangeName } from "@quadrille/grid";
import type { SheetTab } from "@quadrille/protocol";
import { type CellReference, positionOf, sheetPrefix } from "../references/index.ts";

const SCHEMES = ["http:", "https:", "mailto:", "tel:"];
/** More a field of the workbook does not hold. */
const LENGTH_MAX = 2_083;

/** The address as it is stored; `undefined` for what leads nowhere. A workbook must not run scripts. `read`: as for `placeOf`. */
export function addressOf(typed: string, sheets: readonly SheetTab[], shown: number, read = parseRange): string | undefined {
  const text = typed.trim();
  if (text === "" || text.length > LENGTH_MAX) {
    return undefined;
  }
  const place = positionOf(text.replace(/^#/, ""), sheets, read);
  if (place) {
    const name = sheets.find(({ id }) => id === (place.sheet ?? shown))?.name ?? "";
    return `#${sheetPrefix(name)}!${rangeName(place.range)}`;
  }
  if (/\s/.test(text)) {
    return undefined;
  }
  const url = URL.parse(text);
  if (url && SCHEMES.includes(url.protocol)) {
    return text;
  }
  if (/^[^@/:]+@[^@/:]+\.[^@/:]+$/.test(text)) {
    return `mailto:${text}`;
  }
  // `example.org/page`, also with a port, which otherwise reads as a scheme.
  return /^[^./:@]+(\.[^./:@]+)+(:\d+)?([/?#].*)?$/.test(text) && URL.parse(`https://${text}`) ? `https://${text}` : undefined;
}

/** The place in this workbook that a link leads to; `undefined` for those that lead out of it. */
export function linkTarget(link: string, sheets: readonly SheetTab[]): CellReference | undefined {
  return link.startsWith("#") ? positionOf(link.slice(1), sheets) : undefined;
}
