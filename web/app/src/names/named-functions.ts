/**
 * Named functions: defined names whose value is a LAMBDA, with an item of the workbook that
 * describes the function and its arguments.
 */

import type { Command, ItemDetails, ItemValue, NameDetails } from "@quadrille/protocol";
import type { FunctionHelp } from "../language/index.ts";
import type { WorkbookModel } from "../state/index.ts";

/** A parameter of a function. */
export interface Parameter {
  readonly name: string;
  readonly isOptional: boolean;
  readonly description: string;
}

/** A named function. `formula` is in stored notation, without `=`. */
export interface NamedFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly formula: string;
  /** The item with the descriptions. */
  readonly item: number | undefined;
}

/** Length limit of the description of an argument. */
export const ARGUMENT_TEXT_MAX = 255;

/**
 * The parameters and the body of a definition in stored notation; `undefined` if its value is not a
 * LAMBDA.
 */
export function lambdaParts(definition: string): { readonly parameters: readonly string[]; readonly body: string } | undefined {
  const call = /^\s*LAMBDA\((.*)\)\s*$/isu.exec(definition);
  const parts = call?.[1] === undefined ? undefined : splitArguments(call[1]);
  const body = parts?.at(-1);
  return parts && body !== undefined && body !== "" ? { parameters: parts.slice(0, -1), body } : undefined;
}

/** Splits a list of arguments at its commas; `undefined` if a bracket closes that is not open. */
function splitArguments(list: string): readonly string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < list.length; at += 1) {
    const letter = list[at] ?? "";
    if (quote !== "") {
      quote = letter === quote ? "" : quote;
    } else if (letter === '"' || letter === "'") {
      quote = letter;
    } else if ("([{".includes(letter)) {
      depth += 1;
    } else if (")]}".includes(letter)) {
      depth -= 1;
      if (depth < 0) {
        return undefined;
      }
    } else if (letter === "," && depth === 0) {
      parts.push(list.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, list.slice(start).trim()];
}

/** The functions of the workbook by name, from its names and its items. */
export function namedFunctions(names: readonly NameDetails[], items: readonly ItemDetails[]): readonly NamedFunction[] {
  const described = new Map<string, ItemDetails>();
  for (const item of items) {
    const { formula } = item.fields;
    if (item.kind === "namedFunction" && typeof formula === "string") {
      described.set(formula.replace(/^=/, "").toLowerCase(), item);
    }
  }
  const functions = names.flatMap(({ name, definition, sheet }) => {
    const parts = sheet === null ? lambdaParts(definition) : undefined;
    if (!parts) {
      return [];
    }
    const item = described.get(name.toLowerCase());
    const texts = listOf(item?.fields["arguments"]);
    const parameters = parts.parameters.map((parameter, index) => ({
      name: parameter.replace(/^\[(.*)\]$/, "$1"),
      isOptional: parameter.startsWith("["),
      description: textOf(texts[index]),
    }));
    return [{ name, description: textOf(item?.fields["description"]), parameters, formula: parts.body, item: item?.id }];
  });
  return functions.sort((one, other) => one.name.localeCompare(other.name));
}

function textOf(value: ItemValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function listOf(value: ItemValue | undefined): readonly ItemValue[] {
  return Array.isArray(value) ? (value as readonly ItemValue[]) : [];
}

/** Queries the functions of the workbook. */
export async function queryNamedFunctions(model: WorkbookModel): Promise<readonly NamedFunction[]> {
  const [names, items] = await Promise.all([model.session.query({ type: "names" }), model.session.query({ type: "items", sheet: null })]);
  return namedFunctions(names, items);
}

/**
 * The command that stores a function; `old` is the function that it replaces, and `item` the item
 * with the descriptions, which may be new.
 */
export function storeCommand(changed: NamedFunction, old: NamedFunction | undefined, item: number, sheet: number): Command {
  const { name, description, formula } = changed;
  const parameters = changed.parameters.map((parameter) => (parameter.isOptional ? `[${parameter.name}]` : parameter.name));
  const isRenamed = old !== undefined && old.name !== name;
  return {
    type: "many",
    commands: [
      { type: "defineName", name, definition: `LAMBDA(${[...parameters, formula].join(",")})`, sheet, local: false, ...(isRenamed ? { was: old.name } : {}) },
      {
        type: "setItem",
        sheet: null,
        item,
        kind: "namedFunction",
        fields: {
          formula: `=${name}`,
          description: description === "" ? null : description,
          arguments: changed.parameters.every((parameter) => parameter.description === "") ? null : changed.parameters.map((parameter) => parameter.description),
        },
      },
    ],
  };
}

/** The command that deletes a function. */
export function deleteCommand({ name, item }: NamedFunction, sheet: number): Command {
  const commands: Command[] = [{ type: "defineName", name, definition: null, sheet, local: false }];
  if (item !== undefined) {
    commands.push({ type: "removeItem", sheet: null, item });
  }
  return { type: "many", commands };
}

/** The arguments as in the help of functions: `number, [digits]`. */
export function argumentList({ parameters }: NamedFunction): string {
  return parameters.map(({ name, isOptional }) => (isOptional ? `[${name}]` : name)).join(", ");
}

/** The help of a named function, as that of built-in ones. */
export function helpOf(named: NamedFunction, category: string): FunctionHelp {
  // Formulas have the names of functions in upper case.
  const name = named.name.toUpperCase();
  return {
    name,
    englishName: name,
    arguments: argumentList(named),
    category,
    summary: named.description,
    searchText: [name, named.description, category].join(" ").toLowerCase(),
    argumentTexts: named.parameters.map(({ description }) => description),
  };
}
