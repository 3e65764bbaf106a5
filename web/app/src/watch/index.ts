/** The watch window: chosen cells with their values and formulas, wherever they are. */

export { WatchPanel } from "./WatchPanel.tsx";
