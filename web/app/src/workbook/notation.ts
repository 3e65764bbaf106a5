/** How this person wants cells to be named, in this browser: in A1 or in R1C1, which is loaded when it is wanted. */

import { A1, type Notation } from "@quadrille/editor";
import { createSignal } from "solid-js";

const KEY = "quadrille.r1c1";
const [notation, setNotation] = createSignal<Notation>(A1);

export { notation };

/** Before cells are shown. Goes along with what is chosen in other tabs. */
export async function startNotation(): Promise<void> {
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) {
      void show(isWanted());
    }
  });
  await show(isWanted());
}

/** Whether it can be had: without a network it may never have been loaded. */
export async function chooseR1c1(isR1c1: boolean): Promise<boolean> {
  if (!(await show(isR1c1))) {
    return false;
  }
  try {
    if (isR1c1) {
      localStorage.setItem(KEY, "on");
    } else {
      localStorage.removeItem(KEY);
    }
  } catch {
    // No storage: the choice lasts as long as the page.
  }
  return true;
}

function isWanted(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

async function show(isR1c1: boolean): Promise<boolean> {
  try {
    const chosen = isR1c1 ? (await import("@quadrille/editor/r1c1")).R1C1 : A1;
    setNotation(chosen);
    return true;
  } catch (error) {
    // Better in A1 than not at all.
    console.warn("quadrille: R1C1 could not be loaded:", error);
    return false;
  }
}
