/**
 * The source attribute of copied HTML tables, by which a paste recognizes cells that this program
 * copied.
 */

/** Source of the cells on the clipboard, stored in an attribute of the HTML table. */
export interface ClipboardSource {
  /**
   * Unique per copy, so that a table changed elsewhere or copied in another tab is not mistaken for
   * this one.
   */
  readonly token: string;
  readonly room: string;
  readonly sheet: number;
  /** In A1 notation. */
  readonly range: string;
  /** Rows hidden by a filter at the time of the copy, as pairs of first row and count. */
  readonly leavingOut?: [number, number][];
}

const MARK = "data-quadrille";

/** Adds the source attribute to the first table of `html`. */
export function markTable(html: string, source: ClipboardSource): string {
  const mark = JSON.stringify(source).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return html.replace("<table", `<table ${MARK}="${mark}"`);
}

/**
 * The source of a table that this program wrote; `undefined` for other content. The text is
 * searched instead of parsed, because parsing would report its inline styles as violations of the
 * content security policy.
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
    // Another program wrote an attribute of this name: treat the table as foreign.
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
