/** Titles and descriptions of SVG files, for screen readers and search. */

/** An SVG file with the elements `title` and `desc` (SVG 2, 5.7) at its beginning. */
export function svgWithDescription(svg: string, texts: { readonly title: string; readonly description: string }): string {
  const end = svg.indexOf(">") + 1;
  return `${svg.slice(0, end)}\n<title>${escaped(texts.title)}</title>\n<desc>${escaped(texts.description)}</desc>${svg.slice(end)}`;
}

/** A text as the content of an element, without the characters that XML 1.0 excludes. */
function escaped(text: string): string {
  return text
    .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
