/**
 * The reference style of the user, A1 or R1C1, stored in this browser. R1C1 is loaded when it is
 * chosen.
 */

import { A1, type Notation, mapReferences } from "@quadrille/editor";
import { type Cell, parseRange, rangeName } from "@quadrille/grid";
import { createSignal } from "solid-js";
import { formulaInLanguage, formulaLanguage } from "./formula-language.ts";

const KEY = "quadrille.r1c1";
const [notation, setNotation] = createSignal<Notation>(A1);

/** The current notation. */
export { notation };

/**
 * Applies the stored style; must complete before cells are displayed. Follows changes in other
 * tabs.
 */
export async function startReferenceStyle(): Promise<void> {
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) {
      void applyStyle(isR1c1Stored());
    }
  });
  await applyStyle(isR1c1Stored());
}

/** Switches the style and stores the choice. Returns `false` if R1C1 cannot be loaded. */
export async function chooseR1c1(isR1c1: boolean): Promise<boolean> {
  if (!(await applyStyle(isR1c1))) {
    return false;
  }
  try {
    if (isR1c1) {
      localStorage.setItem(KEY, "on");
    } else {
      localStorage.removeItem(KEY);
    }
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
  return true;
}

function isR1c1Stored(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

async function applyStyle(isR1c1: boolean): Promise<boolean> {
  try {
    const style = isR1c1 ? (await import("@quadrille/editor/r1c1")).R1C1 : A1;
    setNotation(style);
    return true;
  } catch (error) {
    // Falls back to A1.
    console.warn("quadrille: R1C1 could not be loaded:", error);
    return false;
  }
}

/** Base of relative references outside of cells. */
const TOP_LEFT: Cell = { row: 0, column: 0 };

/**
 * The cell that relative references in formulas of an item are relative to: the first of its range.
 */
export function hostOf(anchors: readonly string[]): Cell {
  const range = parseRange(anchors[0] ?? "");
  return range ? { row: range.top, column: range.left } : TOP_LEFT;
}

/** A stored formula in the notation and the language of the user, with or without `=`. */
export function displayedFormula(formula: string, host = TOP_LEFT): string {
  const converted = notation().isR1c1 ? convertFormula(formula, A1, (address) => notation().fromA1(address, host)) : formula;
  return formulaInLanguage(converted);
}

/** A typed formula in stored notation. */
export function storedFormula(formula: string, host = TOP_LEFT): string {
  const converted = formulaLanguage()?.stored(formula) ?? formula;
  return notation().isR1c1 ? convertFormula(converted, notation(), (address) => notation().toA1(address, host)) : converted;
}

function convertFormula(formula: string, from: Notation, change: (address: string) => string): string {
  const text = formula.trimStart();
  return text.startsWith("=") ? mapReferences(text, from, change) : mapReferences(`=${text}`, from, change).slice(1);
}

/** Ranges in the notation of the user. */
export function displayedRanges(anchors: readonly string[]): string {
  return anchors
    .map((anchor) => {
      const range = parseRange(anchor);
      return range ? notation().range(range) : anchor;
    })
    .join(" ");
}

/** A range in stored notation; text that is not a range stays unchanged. */
export function storedRange(text: string, host = TOP_LEFT): string {
  const range = notation().parse(text.trim(), host);
  return range ? rangeName(range) : text;
}
