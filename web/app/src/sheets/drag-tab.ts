/** Dragging a sheet tab to another position. */

/** Minimum distance of a drag. */
const DRAG_PX_MIN = 5;

/** What a drag does; positions are indexes of the tab before which the pointer is. */
export interface TabDrag {
  readonly moved: (before: number) => void;
  /** Without a position, nothing was dragged, or the browser canceled it. */
  readonly ended: (before: number | undefined) => void;
}

/** Follows the pointer that was pressed on a tab of a list. */
export function dragTab(event: PointerEvent, list: HTMLElement, { moved, ended }: TabDrag): void {
  if (event.button !== 0 || event.pointerType === "touch") {
    return;
  }
  const startX = event.clientX;
  let before: number | undefined;
  const controller = new AbortController();
  const { signal } = controller;
  window.addEventListener(
    "pointermove",
    ({ clientX }) => {
      if (before !== undefined || Math.abs(clientX - startX) >= DRAG_PX_MIN) {
        before = positionAt(list, clientX);
        moved(before);
      }
    },
    { signal },
  );
  const end = (position: number | undefined): void => {
    controller.abort();
    ended(position);
  };
  window.addEventListener("pointerup", () => end(before), { signal });
  window.addEventListener("pointercancel", () => end(undefined), { signal });
}

/** Index of the tab before which the pointer is. */
function positionAt(list: HTMLElement, clientX: number): number {
  const elements = [...list.querySelectorAll<HTMLElement>("[data-sheet]")];
  const index = elements.findIndex((tab) => {
    const bounds = tab.getBoundingClientRect();
    return clientX < bounds.left + bounds.width / 2;
  });
  return index < 0 ? elements.length : index;
}
