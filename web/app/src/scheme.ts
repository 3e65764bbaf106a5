/** Light or dark: as the system has it, unless the page that shows this one in a frame wants it otherwise. */

export type Scheme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
let wanted: Scheme | undefined;
const listeners = new Set<() => void>();

export function isDark(): boolean {
  return wanted === undefined ? system.matches : wanted === "dark";
}

/** Before anything is drawn. */
export function startScheme(): void {
  system.addEventListener("change", show);
  show();
}

/** `undefined`: as the system has it. */
export function wantScheme(scheme: Scheme | undefined): void {
  wanted = scheme;
  show();
}

export function onSchemeChange(listener: () => void, signal: AbortSignal): void {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

function show(): void {
  document.documentElement.dataset["scheme"] = isDark() ? "dark" : "light";
  listeners.forEach((listener) => listener());
}
