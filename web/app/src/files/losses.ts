/** What a downloaded file would leave out or change, as the server reports it. */

import { parseRange } from "@quadrille/grid";
import { roomFetch } from "../access/index.ts";
import { LOSS_KINDS, t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";
import { notation } from "../settings/index.ts";

/** Contents of one kind that a file leaves out or changes (docs/rest.md, "Export and import"). */
export interface Loss {
  readonly kind: string;
  /** English text. */
  readonly text: string;
  /** `null` for contents of the workbook. */
  readonly sheet: string | null;
  readonly places: readonly { readonly ranges: readonly string[]; readonly name: string }[];
  readonly count: number;
}

/** A report of losses; `isCutShort` when there are more. */
export interface LossReport {
  readonly losses: readonly Loss[];
  readonly isCutShort: boolean;
}

/** The losses of one sheet, or of the workbook. */
export interface LossGroup {
  readonly sheet: string | null;
  readonly losses: readonly Loss[];
}

/** Formats with typed columns. They lose what a csv file loses, except digits. */
const COLUMN_FORMATS: ReadonlySet<string> = new Set(["parquet", "arrows"]);

/** Asks the server; rejects without an answer. */
export async function readLosses(room: string, format: string, sheet: string | undefined): Promise<LossReport> {
  const isOfColumns = COLUMN_FORMATS.has(format);
  const query = new URLSearchParams({ format: isOfColumns ? "csv" : format, ...(sheet !== undefined && { sheet }) });
  const response = await roomFetch(room, `${roomApi(room)}/losses?${query}`);
  if (!response.ok) {
    throw new Error(`the server answered ${response.status}`);
  }
  const report = (await response.json()) as LossReport;
  return isOfColumns ? { ...report, losses: report.losses.filter(({ kind }) => kind !== "digits") } : report;
}

/** The losses by sheet, in the order of the report. */
export function bySheet(losses: readonly Loss[]): readonly LossGroup[] {
  return [...new Set(losses.map(({ sheet }) => sheet))].map((sheet) => ({ sheet, losses: losses.filter((loss) => loss.sheet === sheet) }));
}

/** What is lost, in the language of the page. */
export function lossText({ kind, text }: Loss): string {
  const message = LOSS_KINDS[kind];
  return message === undefined ? text : t(message);
}

/** Where it is: names and ranges in the notation of the workbook; `…` when there are more. */
export function lossPlaces(loss: Loss): readonly string[] {
  const displayed = (range: string): string => {
    const parsed = parseRange(range);
    return parsed ? notation().range(parsed) : range;
  };
  if (LOSS_KINDS[loss.kind] === undefined) {
    return [];
  }
  const texts = loss.places.map(({ ranges, name }) => {
    const list = ranges.map(displayed).join(", ");
    return name === "" ? list : list === "" ? name : `${name} (${list})`;
  });
  return hasMore(loss) ? [...texts, "…"] : texts;
}

/** Whether the places are only the first of all; formulas are counted by cells, the rest by items. */
function hasMore({ kind, places, count }: Loss): boolean {
  const cells = places.flatMap(({ ranges }) => ranges).reduce((sum, text) => sum + cellsOf(text), 0);
  return places.length > 0 && (kind === "formulas" || kind === "functions" ? cells < count : places.length < count);
}

function cellsOf(text: string): number {
  const range = parseRange(text);
  return range ? (range.bottom - range.top + 1) * (range.right - range.left + 1) : 0;
}
