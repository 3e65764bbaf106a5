/** The named functions of another workbook of the server. */

import type { ItemDetails } from "@quadrille/protocol";
import { roomFetch } from "../access/index.ts";
import { exportUrl, roomApi, roomOfPath } from "../rooms/index.ts";
import { type NamedFunction, namedFunctions } from "./named-functions.ts";

/** Items of a page; there are few named functions. */
const ITEMS_MAX = 1_000;

/** The room that a name or an address means; `undefined` for an address of another server, or of another page. */
export function roomOfText(text: string, pageUrl: string): string | undefined {
  const given = text.trim();
  if (!given.includes("/")) {
    return given === "" || given.startsWith("_") ? undefined : given;
  }
  try {
    const { origin, pathname } = new URL(given, pageUrl);
    return origin === new URL(pageUrl).origin ? roomOfPath(pathname) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the functions of a workbook; `undefined` if there is none with this name, or no access to it. */
export async function functionsOfWorkbook(room: string): Promise<readonly NamedFunction[] | undefined> {
  const responses = await Promise.all([
    roomFetch(room, `${exportUrl(room, "json", undefined)}&fields=names`),
    roomFetch(room, `${roomApi(room)}/items?kind=namedFunction&limit=${ITEMS_MAX}`),
  ]);
  if (responses.some(({ status }) => status === 404 || status === 401 || status === 403)) {
    return undefined;
  }
  const failed = responses.find(({ ok }) => !ok);
  if (failed) {
    throw new Error(`the functions of a workbook were not read: ${failed.status}`);
  }
  const [{ names }, { items }] = (await Promise.all(responses.map((response) => response.json()))) as [
    { readonly names: Readonly<Record<string, string>> },
    { readonly items: readonly ItemDetails[] },
  ];
  // Names with the scope of a sheet are written with the sheet, and are no functions.
  const ofWorkbook = Object.entries(names).filter(([name]) => !name.includes("!"));
  return namedFunctions(
    ofWorkbook.map(([name, definition]) => ({ name, definition: definition.replace(/^=/, ""), sheet: null })),
    items,
  );
}
