export { chooseScheme, chosenScheme, isDark, onSchemeChange, type Scheme, startScheme, setSchemeOverride } from "./color-scheme.ts";
export { readTheme } from "./grid-theme.ts";
