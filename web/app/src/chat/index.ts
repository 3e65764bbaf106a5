/** The chat of a workbook. The panel is loaded on first use. */

export { ChatButton } from "./ChatButton.tsx";
