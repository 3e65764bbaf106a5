/** The little of CSS that spreadsheets write when cells are copied: declarations, and rules of one class or element. */

export type Declarations = ReadonlyMap<string, string>;

/** `font-weight:700; mso-number-format:"0\.00"` */
export function declarations(text: string): Declarations {
  const found = new Map<string, string>();
  // A semicolon inside quotes belongs to a value.
  for (const part of text.match(/(?:[^;"']|"[^"]*"|'[^']*')+/g) ?? []) {
    const colon = part.indexOf(":");
    if (colon > 0) {
      found.set(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim());
    }
  }
  return found;
}

/** Rules by their selector, `td` or `.xl65`; other selectors are not written for cells. */
export function rules(sheet: string): ReadonlyMap<string, Declarations> {
  const found = new Map<string, Declarations>();
  const plain = sheet.replace(/<!--|-->|\/\*[\s\S]*?\*\//g, " ");
  for (const [, selectors = "", body = ""] of plain.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    for (const selector of selectors.split(",").map((each) => each.trim().toLowerCase())) {
      if (/^(td|th|tr|table|\.[\w-]+|(td|th)\.[\w-]+)$/.test(selector)) {
        const key = selector.replace(/^(td|th)\./, ".");
        found.set(key, new Map([...(found.get(key) ?? []), ...declarations(body)]));
      }
    }
  }
  return found;
}

const NAMED: Readonly<Record<string, string>> = {
  black: "#000000",
  white: "#ffffff",
  red: "#ff0000",
  green: "#008000",
  lime: "#00ff00",
  blue: "#0000ff",
  yellow: "#ffff00",
  orange: "#ffa500",
  purple: "#800080",
  gray: "#808080",
  grey: "#808080",
  silver: "#c0c0c0",
  maroon: "#800000",
  navy: "#000080",
  teal: "#008080",
  olive: "#808000",
  aqua: "#00ffff",
  fuchsia: "#ff00ff",
  windowtext: "#000000",
};

/** As `#rrggbb`; `undefined` for what is no colour or not opaque enough to count. */
export function color(value: string | undefined): string | undefined {
  const text = value?.trim().toLowerCase() ?? "";
  const [, short] = /^#([0-9a-f]{3})$/.exec(text) ?? [];
  if (short !== undefined) {
    return `#${[...short].map((digit) => digit + digit).join("")}`;
  }
  if (/^#[0-9a-f]{6}$/.test(text)) {
    return text;
  }
  const [, inside] = /^rgba?\(([^)]*)\)$/.exec(text) ?? [];
  const [red, green, blue, alpha = 1] = inside?.split(/[\s,/]+/).map(Number) ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined && alpha >= 0.5) {
    return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
  }
  return NAMED[text];
}
