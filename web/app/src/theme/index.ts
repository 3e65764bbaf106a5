export { chooseScheme, chosenScheme, isDark, onSchemeChange, type Scheme, startScheme, wantScheme } from "./color-scheme.ts";
export { readTheme } from "./grid-theme.ts";
