/** Color scheme and grid theme. */

export {
  chooseScheme,
  chosenScheme,
  isDark,
  onSchemeChange,
  type Scheme,
  setSchemeOverride,
  startScheme,
} from "./color-scheme.ts";
export { readTheme } from "./grid-theme.ts";
