/** How this person wants cells to be named, in this browser: in A1 or in R1C1, which is loaded when it is wanted. */

import { A1, type Notation, mapReferences } from "@quadrille/editor";
import { type Cell, parseRange, rangeName } from "@quadrille/grid";
import { createSignal } from "solid-js";

const KEY = "quadrille.r1c1";
const [notation, setNotation] = createSignal<Notation>(A1);

export { notation };

/** Before cells are shown. Goes along with what is chosen in other tabs. */
export async function startReferenceStyle(): Promise<void> {
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

/** Where relative references count from that stand in no cell. */
const CORNER: Cell = { row: 0, column: 0 };

/** The cell that formulas of things on a sheet count from: the first of theirs. */
export function hostOf(anchors: readonly string[]): Cell {
  const range = parseRange(anchors[0] ?? "");
  return range ? { row: range.top, column: range.left } : CORNER;
}

/** A stored formula as this person reads it, with or without its `=`. */
export function displayedFormula(formula: string, host = CORNER): string {
  return notation().isR1c1 ? through(formula, A1, (address) => notation().fromA1(address, host)) : formula;
}

/** What this person has typed as it is stored. */
export function storedFormula(formula: string, host = CORNER): string {
  return notation().isR1c1 ? through(formula, notation(), (address) => notation().toA1(address, host)) : formula;
}

function through(formula: string, from: Notation, change: (address: string) => string): string {
  const text = formula.trimStart();
  return text.startsWith("=") ? mapReferences(text, from, change) : mapReferences(`=${text}`, from, change).slice(1);
}

/** The cells of something on a sheet. */
export function displayedRanges(anchors: readonly string[]): string {
  return anchors
    .map((anchor) => {
      const range = parseRange(anchor);
      return range ? notation().range(range) : anchor;
    })
    .join(" ");
}

/** Cells as they are stored; what is no cells stays as it was typed. */
export function storedRange(text: string, host = CORNER): string {
  const range = notation().parse(text.trim(), host);
  return range ? rangeName(range) : text;
}
