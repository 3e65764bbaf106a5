/** Presses on the controls of a slicer are for them, not for the frame or the grid. */

export const ownEvents = {
  "on:pointerdown": (event: Event): void => event.stopPropagation(),
  "on:dblclick": (event: Event): void => event.stopPropagation(),
  "on:keydown": (event: KeyboardEvent): void => {
    if (event.key !== "Escape") {
      event.stopPropagation();
    }
  },
} as const;
