/** Icons: strokes on a 20 × 20 grid in the color of the text. */

import { createSignal } from "solid-js";
import type { LATER_PATHS } from "./later-icons.ts";

/** The icons that a workbook shows at first. */
const PATHS = {
  undo: "M7.5 4.5 4 8l3.5 3.5M4.5 8H12a4 4 0 0 1 0 8H8",
  redo: "M12.5 4.5 16 8l-3.5 3.5M15.5 8H8a4 4 0 0 0 0 8h4",
  bold: "M6 4h5a3 3 0 0 1 0 6H6zM6 10h6a3 3 0 0 1 0 6H6z",
  italic: "M9 4h6M5 16h6M12 4 8 16",
  underline: "M6 3.5V9a4 4 0 0 0 8 0V3.5M5 16.5h10",
  strikethrough: "M4 10h12M14 6.5C13.500 5 12 4 10 4 7.500 4 6 5.200 6 7c0 1.500 1 2.500 3 3M6 13.500C6.500 15 8 16 10 16c2.500 0 4-1.200 4-3 0-1-.4-1.700-1-2.200",
  alignLeft: "M3.500 5h13M3.500 10h8M3.500 15h11",
  alignCenter: "M3.500 5h13M6 10h8M4.500 15h11",
  alignRight: "M3.500 5h13M8.500 10h8M5.500 15h11",
  alignTop: "M4 3.500h12M10 16.500V7M7 10l3-3 3 3",
  alignMiddle: "M3.500 10h13M10 2.500v4M8 5l2 2 2-2M10 17.500v-4M8 15l2-2 2 2",
  alignBottom: "M4 16.500h12M10 3.500V13M7 10l3 3 3-3",
  wrap: "M3.500 5h13M3.500 10h9.500a2.700 2.700 0 0 1 0 5.500H10M12 13.500l-2 2 2 2M3.500 15H7",
  textColor: "M6 13 10 3.500 14 13M7.300 10h5.400",
  fillColor: "M8.500 3 15 9.500l-5.500 5.500L4 9.500l5.500-5.500M4 9.500h11M16.500 12.500s1.200 1.600 1.200 2.500a1.200 1.200 0 0 1-2.400 0c0-.9 1.200-2.500 1.200-2.500z",
  sort: "M6 4v12M3.500 13.500 6 16l2.500-2.500M11 5h6M11 9h4.500M11 13h3",
  sum: "M14.500 6V4h-9l5 6-5 6h9v-2",
  plus: "M10 4v12M4 10h12",
  lock: "M5.500 9h9v7.500h-9zM7.500 9V6.500a2.500 2.500 0 0 1 5 0V9",
  minus: "M4 10h12",
  eye: "M2.500 10S5.500 5 10 5s7.500 5 7.500 5-3 5-7.500 5-7.500-5-7.500-5zM10 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600z",
  close: "M5 5l10 10M15 5 5 15",
  chevron: "M5.500 8 10 12.500 14.500 8",
  share: "M13.500 7a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600zM5.500 12.300a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600zM13.500 17.600a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600zM7.500 9l4-2.500M7.500 11.200l4 2.400",
  help: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8a2 2 0 1 1 2.800 1.800c-.5.2-.8.600-.8 1.200v.3M10 13.800v.1",
  list: "M7.500 5h9M7.500 10h9M7.500 15h9M3.500 5h.1M3.500 10h.1M3.500 15h.1",
  check: "M4 10.500 8.200 14.700 16 6",
  cloud: "M6 15.500a3.500 3.500 0 0 1-.4-7A4.800 4.800 0 0 1 15 9.700a3 3 0 0 1-.5 5.800z",
  cloudOff: "M3.500 3.500l13 13M6 15.500a3.500 3.500 0 0 1-.4-7M8 5.400A4.800 4.800 0 0 1 15 9.700a3 3 0 0 1 2 3.800M6 15.500h8",
  info: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.500v4M10 6.500v.1",
  warning: "M10 3.500 17.500 16.500h-15zM10 8.500v4M10 14.500v.1",
  edit: "M4 16l.8-3.500L13 4.300a1.600 1.600 0 0 1 2.300 0l.4.400a1.600 1.600 0 0 1 0 2.300L7.500 15.200z",
  chart: "M3.500 3.500v13h13M7 13.500v-4M10.500 13.500v-8M14 13.500v-6",
  comment: "M4 4h12v9H9.500L6 16v-3H4z",
  clock: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.500 2.500",
  borders: "M3.500 3.500h13v13h-13zM10 3.500v13M3.500 10h13",
  styles: "M3.500 3.500h13v5h-13zM3.500 11.500h5v5h-5zM11.500 11.500h5v5h-5z",
  painter: "M4 3.500h10v4H4zM14 5.500h2.500v4H10v3M8.800 12.500h2.400v4.500H8.800z",
} as const;

/** The name of an icon. */
export type IconName = keyof typeof PATHS | keyof typeof LATER_PATHS;

const [paths, setPaths] = createSignal<Readonly<Partial<Record<IconName, string>>>>(PATHS);

/** Loads the other icons. Pages load them together with their own code, so that all appear at once. */
export async function loadIcons(): Promise<void> {
  const { LATER_PATHS } = await import("./later-icons.ts");
  setPaths({ ...PATHS, ...LATER_PATHS });
}

/** An icon, hidden from screen readers. */
export function Icon(props: { readonly name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      stroke-width={props.name === "more" ? 2.4 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths()[props.name]} />
    </svg>
  );
}
