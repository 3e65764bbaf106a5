/** Addresses of links: on the web, mail, telephone, and cells of the workbook (`#Sheet2!B7`). */

import { parseRange, rangeName } from "@quadrille/grid";
import type { SheetTab } from "@quadrille/protocol";
import { type CellReference, parseReference, sheetPrefix } from "../references/index.ts";

const SCHEMES = ["http:", "https:", "mailto:", "tel:"];
/** Length limit of the item field. */
const LENGTH_MAX = 2_083;

/**
 * The stored form of a typed address; `undefined` if it is invalid or could run a script.
 * References without a sheet refer to `currentSheet`; `read` parses references.
 */
export function addressOf(typed: string, sheets: readonly SheetTab[], currentSheet: number, read = parseRange): string | undefined {
  const text = typed.trim();
  if (text === "" || text.length > LENGTH_MAX) {
    return undefined;
  }
  const reference = parseReference(text.replace(/^#/, ""), sheets, read);
  if (reference) {
    const name = sheets.find(({ id }) => id === (reference.sheet ?? currentSheet))?.name ?? "";
    return `#${sheetPrefix(name)}!${rangeName(reference.range)}`;
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
  // `example.org/page`, also with a port, which `URL` would parse as a scheme.
  return /^[^./:@]+(\.[^./:@]+)+(:\d+)?([/?#].*)?$/.test(text) && URL.parse(`https://${text}`) ? `https://${text}` : undefined;
}

/** The file of a form that a link means, named by its digits: `/api/v1/rooms/…/files/…`. */
export function fileOfLink(link: string): string | undefined {
  return /^\/api\/v1\/rooms\/[^/]+\/files\/([0-9a-f]{64})$/.exec(link)?.[1];
}

/** The cells that a link refers to; `undefined` for external links. */
export function linkTarget(link: string, sheets: readonly SheetTab[]): CellReference | undefined {
  return link.startsWith("#") ? parseReference(link.slice(1), sheets) : undefined;
}
