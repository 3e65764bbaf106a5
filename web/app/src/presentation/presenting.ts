/**
 * Presentation mode: the sheet fills the window, without toolbar, headings, gridlines and formula bar,
 * and the sheets are the slides. `?present` in the address opens a workbook in it.
 */

import { createSignal } from "solid-js";

const PARAMETER = "present";

const [isOn, setIsOn] = createSignal(typeof location !== "undefined" && new URLSearchParams(location.search).has(PARAMETER));

/** Height of the bar at the end of the window, with its margins. */
export const PRESENTATION_BAR_PX = 64;

/** Whether the page shows the workbook as a presentation. */
export const isPresenting = isOn;

/** Starts the presentation, in full screen where the browser allows it. */
export function startPresentation(): void {
  change(true);
  void fillScreen();
}

/** Ends the presentation. */
export function stopPresentation(): void {
  change(false);
  if (document.fullscreenElement) {
    void document.exitFullscreen().catch(() => undefined);
  }
}

/** Fills the screen. Refused in frames and on some phones, where the presentation fills the window. */
export async function fillScreen(): Promise<void> {
  await document.documentElement.requestFullscreen?.().catch(() => undefined);
}

function change(isPresented: boolean): void {
  const address = new URL(location.href);
  if (isPresented) {
    address.searchParams.set(PARAMETER, "");
  } else {
    address.searchParams.delete(PARAMETER);
  }
  // `?present` rather than `?present=`.
  history.replaceState(history.state, "", address.href.replace(/([?&]present)=(?=&|#|$)/, "$1"));
  setIsOn(isPresented);
}
