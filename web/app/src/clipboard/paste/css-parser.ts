/**
 * Parses the subset of CSS that spreadsheets write for copied cells: declarations, and rules for
 * one class or element.
 */

/** CSS properties with their values. */
export type Declarations = ReadonlyMap<string, string>;

/** Parses declarations such as `font-weight:700; mso-number-format:"0\.00"`. */
export function declarations(text: string): Declarations {
  const parsed = new Map<string, string>();
  // A semicolon inside quotes is part of the value.
  for (const part of text.match(/(?:[^;"']|"[^"]*"|'[^']*')+/g) ?? []) {
    const colon = part.indexOf(":");
    if (colon > 0) {
      parsed.set(part.slice(0, colon).trim().toLowerCase(), part.slice(colon + 1).trim());
    }
  }
  return parsed;
}

/**
 * Parses a style sheet into declarations by selector, `td` or `.xl65`; other selectors are ignored.
 */
export function rules(sheet: string): ReadonlyMap<string, Declarations> {
  const parsed = new Map<string, Declarations>();
  const withoutComments = sheet.replace(/<!--|-->|\/\*[\s\S]*?\*\//g, " ");
  for (const [, selectors = "", body = ""] of withoutComments.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
    for (const selector of selectors.split(",").map((part) => part.trim().toLowerCase())) {
      if (/^(td|th|tr|table|\.[\w-]+|(td|th)\.[\w-]+)$/.test(selector)) {
        const key = selector.replace(/^(td|th)\./, ".");
        parsed.set(key, new Map([...(parsed.get(key) ?? []), ...declarations(body)]));
      }
    }
  }
  return parsed;
}

const NAMED_COLORS: Readonly<Record<string, string>> = {
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

/**
 * The color as `#rrggbb`; `undefined` when the value is not a color or is less than half opaque.
 */
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
  return NAMED_COLORS[text];
}
