/** Cells on the clipboard: plain text and a table for other programs, and a mark by which we know our own. */

/** Where cells on the clipboard came from. The mark travels as an attribute of the table. */
export interface ClipboardSource {
  /** Made anew by every copy, so that a table that was changed elsewhere or copied in another tab is told apart. */
  readonly token: string;
  readonly room: string;
  readonly sheet: number;
  /** A1 text. */
  readonly range: string;
}

const MARK = "data-quadrille";

export function markTable(html: string, source: ClipboardSource): string {
  const mark = JSON.stringify(source).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return html.replace("<table", `<table ${MARK}="${mark}"`);
}

/** The mark of a table that this program wrote, if the clipboard holds one. */
export function readMark(html: string): ClipboardSource | undefined {
  if (!html.includes(MARK)) {
    return undefined;
  }
  const text = new DOMParser().parseFromString(html, "text/html").querySelector(`[${MARK}]`)?.getAttribute(MARK);
  if (!text) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
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
    typeof source.range === "string"
  );
}

/** Rows and cells of the first table in foreign HTML, as tab-separated text; `undefined` without a table. */
export function tableAsText(html: string): string | undefined {
  const table = new DOMParser().parseFromString(html, "text/html").querySelector("table");
  if (!table) {
    return undefined;
  }
  const lines = [...table.rows].map((row) =>
    [...row.cells]
      .flatMap((cell) => [cell.textContent.trim(), ...Array<string>(Math.max(0, cell.colSpan - 1)).fill("")])
      .map((text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
      .join("\t"),
  );
  return lines.join("\n");
}
