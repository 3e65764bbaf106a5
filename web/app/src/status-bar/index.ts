/** The status bar. */

export { StatusBar } from "./StatusBar.tsx";
