/** Cells on the clipboard: plain text and a table for other programs, and a mark by which we know our own. */

/** Where cells on the clipboard came from. The mark travels as an attribute of the table. */
export interface ClipboardSource {
  /** Made anew by every copy, so that a table that was changed elsewhere or copied in another tab is told apart. */
  readonly token: string;
  readonly room: string;
  readonly sheet: number;
  /** A1 text. */
  readonly range: string;
  /** Rows that a filter hid when this was copied: first row and count each. */
  readonly leavingOut?: [number, number][];
}

const MARK = "data-quadrille";

export function markTable(html: string, source: ClipboardSource): string {
  const mark = JSON.stringify(source).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return html.replace("<table", `<table ${MARK}="${mark}"`);
}

/**
 * The mark of a table that this program wrote, if the clipboard holds one. Found in the text: parsing the table would
 * have the browser complain of its styles, which the page's security policy forbids.
 */
export function readMark(html: string): ClipboardSource | undefined {
  const text = new RegExp(`<table ${MARK}="([^"]*)"`).exec(html)?.[1];
  if (text === undefined) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
    return isSource(value) ? value : undefined;
  } catch {
    // Another program wrote an attribute of this name: its text is pasted instead.
    return undefined;
  }
}

function isSource(value: unknown): value is ClipboardSource {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const source = value as Partial<Record<keyof ClipboardSource, unknown>>;
  return (
    typeof source.token === "string" &&
    typeof source.room === "string" &&
    typeof source.sheet === "number" &&
    typeof source.range === "string" &&
    (source.leavingOut === undefined || isRuns(source.leavingOut))
  );
}

function isRuns(value: unknown): boolean {
  return Array.isArray(value) && value.every((run) => Array.isArray(run) && run.length === 2 && run.every(Number.isInteger));
}
