/** Creates the measured workbooks by the user interface or by the REST API. */

import type { Page } from "@playwright/test";
import { calculated, goTo, ready } from "./browser.ts";
import { COLUMNS, ROWS, STYLES } from "./bare-canvas.ts";

/** One command writes at most a million cells. */
const ROWS_AT_ONCE = 38_000;
/** A blank cell on which all formulas of `fillStyled` depend. */
export const PRECEDENT = "AB1";
const FORMULA = "=ROW()*COLUMN()+$AB$1";

/**
 * Fills the sheet with 26 million formulas in the styles of the bare canvas, and waits for the
 * calculation.
 */
export async function fillStyled(page: Page, server: string, room: string, rows = ROWS): Promise<void> {
  for (let first = 1; first <= rows; first += ROWS_AT_ONCE) {
    const last = Math.min(first + ROWS_AT_ONCE - 1, rows);
    await goTo(page, `A${first}:${columnName(COLUMNS - 1)}${last}`);
    await page.keyboard.type(FORMULA);
    await page.keyboard.press("Control+Enter");
    const shown = page.locator(`[data-cell=B${first}]`, { hasText: String(2 * first) });
    await shown.waitFor({ state: "attached", timeout: 60_000 });
    await ready(page);
  }
  for (let column = 0; column < COLUMNS; column += 1) {
    const name = columnName(column);
    await putEverywhere(server, room, `${name}1:${name}${rows}`, { format: STYLES[column % STYLES.length] });
  }
  await goTo(page, "A1");
  await ready(page);
  await calculated(page);
}

/** Letter of one of the first 26 columns. */
export function columnName(column: number): string {
  return String.fromCharCode(65 + column);
}

/** Imports a CSV file with a million cells. */
export async function importMillion(server: string, room: string): Promise<void> {
  const lines: string[] = [];
  for (let row = 1; row <= 100_000; row += 1) {
    lines.push(Array.from({ length: 10 }, (_, column) => (column === 0 ? `item ${row}` : row * column)).join(","));
  }
  await send(`${server}/api/v1/rooms/${room}/import?name=million.csv`, "POST", "text/csv", lines.join("\n"));
}

/** Creates a room. */
export async function makeRoom(server: string, room: string): Promise<void> {
  await send(`${server}/api/v1/rooms/${room}`, "PUT", "text/csv", "0");
}

/** Writes rows of cells to a range. */
export async function putCells(server: string, room: string, range: string, cells: unknown[][]): Promise<void> {
  await putEverywhere(server, room, range, { cells });
}

async function putEverywhere(server: string, room: string, range: string, body: unknown): Promise<void> {
  const url = `${server}/api/v1/rooms/${room}/sheets/Sheet1/cells/${range}`;
  await send(url, "PUT", "application/json", JSON.stringify(body));
}

async function send(url: string, method: string, type: string, body: string): Promise<void> {
  const response = await fetch(url, { method, headers: { "content-type": type }, body });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 300)}`);
  }
}
