/**
 * Light or dark: as chosen in this browser, or as the system has it; unless the page that shows this one in a frame wants it
 * otherwise. `public/scheme.js` shows the choice before anything of the page is there.
 */

export type Scheme = "light" | "dark";

/** Also in `public/scheme.js`. */
const KEY = "quadrille.scheme";
const system = matchMedia("(prefers-color-scheme: dark)");
/** As it was last told: Chromium does not tell a change that was found out by asking `system.matches` before. */
let isSystemDark = system.matches;
let wanted: Scheme | undefined;
let chosen: Scheme | undefined;
const listeners = new Set<() => void>();

export function isDark(): boolean {
  const scheme = wanted ?? chosen;
  return scheme === undefined ? isSystemDark : scheme === "dark";
}

/** Before anything is drawn. */
export function startScheme(): void {
  system.addEventListener("change", ({ matches }) => {
    isSystemDark = matches;
    show();
  });
  // Chosen in another tab.
  window.addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) {
      chosen = stored();
      show();
    }
  });
  chosen = stored();
  show();
}

/** `undefined`: as it is otherwise. */
export function setSchemeOverride(scheme: Scheme | undefined): void {
  wanted = scheme;
  show();
}

/** `undefined`: as the system has it. */
export function chosenScheme(): Scheme | undefined {
  return chosen;
}

export function chooseScheme(scheme: Scheme | undefined): void {
  chosen = scheme;
  try {
    if (scheme === undefined) {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, scheme);
    }
  } catch {
    // No storage: the choice lasts as long as the page.
  }
  show();
}

export function onSchemeChange(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

function stored(): Scheme | undefined {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : undefined;
  } catch {
    return undefined;
  }
}

function show(): void {
  document.documentElement.dataset["scheme"] = isDark() ? "dark" : "light";
  listeners.forEach((listener) => listener());
}
