/**
 * The color scheme: the one chosen in this browser, or that of the system; the host of an embedded
 * page can override it. `public/scheme.js` applies the choice before any script of the client runs.
 */

/** A color scheme. */
export type Scheme = "light" | "dark";

/** Storage key, also in `public/scheme.js`. */
const KEY = "quadrille.scheme";
const system = matchMedia("(prefers-color-scheme: dark)");
/**
 * The last reported scheme of the system. Chromium does not report a change that reading
 * `system.matches` has already revealed.
 */
let isSystemDark = system.matches;
let override: Scheme | undefined;
let chosen: Scheme | undefined;
const listeners = new Set<() => void>();

/** Whether the dark scheme is active. */
export function isDark(): boolean {
  const scheme = override ?? chosen;
  return scheme === undefined ? isSystemDark : scheme === "dark";
}

/** Applies the scheme before anything is drawn, and follows changes. */
export function startScheme(): void {
  system.addEventListener("change", ({ matches }) => {
    isSystemDark = matches;
    applyScheme();
  });
  // Changed in another tab.
  window.addEventListener("storage", (event) => {
    if (event.key === KEY || event.key === null) {
      chosen = storedScheme();
      applyScheme();
    }
  });
  chosen = storedScheme();
  applyScheme();
}

/** Overrides the scheme; `undefined` ends the override. */
export function setSchemeOverride(scheme: Scheme | undefined): void {
  override = scheme;
  applyScheme();
}

/** The scheme chosen in this browser; `undefined` for that of the system. */
export function chosenScheme(): Scheme | undefined {
  return chosen;
}

/** Chooses a scheme and stores the choice; `undefined` for that of the system. */
export function chooseScheme(scheme: Scheme | undefined): void {
  chosen = scheme;
  try {
    if (scheme === undefined) {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, scheme);
    }
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  applyScheme();
}

/** Adds a listener for changes of the scheme. */
export function onSchemeChange(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

function storedScheme(): Scheme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined;
  }
}

function applyScheme(): void {
  document.documentElement.dataset["scheme"] = isDark() ? "dark" : "light";
  listeners.forEach((listener) => listener());
}
