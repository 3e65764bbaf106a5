/**
 * The language in which the user reads and writes formulas: separators and function names. Names
 * follow the language of the page, unless the user has chosen English ones in this browser. The
 * tables are loaded when a language needs them.
 */

import type { FormulaLanguage, FunctionTable, Separators } from "@quadrille/editor/localized";
import { createEffect, createRoot, createSignal, on } from "solid-js";
import { type Language, language } from "../language/index.ts";

const KEY = "quadrille.englishFunctions";

/** Languages with a decimal comma; the engine has the same separators (`Locale`). */
const SEPARATORS: Partial<Record<Language, Separators>> = {
  de: { decimal: ",", list: ";", column: "." },
  fr: { decimal: ",", list: ";", column: "." },
  es: { decimal: ",", list: ";", column: "\\" },
};
/** Excel has function names in these languages, and English ones in the others. */
const TABLES: Partial<Record<Language, () => Promise<{ default: FunctionTable }>>> = {
  de: () => import("../language/function-names/de.json"),
  fr: () => import("../language/function-names/fr.json"),
  es: () => import("../language/function-names/es.json"),
};
const ENGLISH: FunctionTable = { functions: {}, errors: {} };

const [formulaLanguage, setFormulaLanguage] = createSignal<FormulaLanguage>();
const [usesEnglish, setUsesEnglish] = createSignal(false);

/**
 * The conversion of formulas; `undefined` when the user reads them as they are stored.
 * `usesEnglish`: whether the user has chosen English function names.
 */
export { formulaLanguage, usesEnglish };

/** Whether a language has own function names. */
export function hasFunctionNames(language: Language): boolean {
  return TABLES[language] !== undefined;
}

/** The separator of function arguments in a language. */
export function listSeparator(language: Language): "," | ";" {
  return SEPARATORS[language] ? ";" : ",";
}

/** The name of a function as the user reads it. */
export function functionName(english: string): string {
  return formulaLanguage()?.functionName(english) ?? english;
}

/** A stored formula, with or without `=`, in the language of the user and in A1 notation. */
export function formulaInLanguage(formula: string): string {
  return formulaLanguage()?.displayed(formula) ?? formula;
}

/**
 * Applies the language and the choice of the user; must complete before cells are displayed.
 * Follows the language of the page and changes in other tabs.
 */
export async function startFormulaLanguage(): Promise<void> {
  setUsesEnglish(isEnglishStored());
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) {
      setUsesEnglish(isEnglishStored());
    }
  });
  await applyLanguage(language(), usesEnglish());
  createRoot(() => {
    createEffect(on([language, usesEnglish], ([tag, isEnglish]) => void applyLanguage(tag, isEnglish), { defer: true }));
  });
}

/** Chooses English function names, or those of the language, and stores the choice. */
export function chooseEnglishFunctions(isEnglish: boolean): void {
  setUsesEnglish(isEnglish);
  try {
    if (isEnglish) {
      localStorage.setItem(KEY, "on");
    } else {
      localStorage.removeItem(KEY);
    }
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

function isEnglishStored(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}

async function applyLanguage(tag: Language, isEnglish: boolean): Promise<void> {
  const separators = SEPARATORS[tag];
  if (!separators) {
    setFormulaLanguage(undefined);
    return;
  }
  const isCurrent = (): boolean => language() === tag && usesEnglish() === isEnglish;
  try {
    const load = isEnglish ? undefined : TABLES[tag];
    const [{ formulaLanguage: create }, table] = await Promise.all([import("@quadrille/editor/localized"), load?.()]);
    if (isCurrent()) {
      setFormulaLanguage(create(separators, table?.default ?? ENGLISH));
    }
  } catch (error) {
    // Falls back to English function names; the engine knows the separators.
    console.warn("quadrille: the function names could not be loaded:", tag, error);
    if (isCurrent()) {
      setFormulaLanguage(undefined);
    }
  }
}
