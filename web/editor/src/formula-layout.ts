/**
 * The layout of long formulas on several lines.
 *
 * The engine stores formulas without their whitespace (decision 0008), so that lines are broken by a
 * rule whenever a formula is edited: what fits on a line stays on it; otherwise each argument of a
 * function, and each operand of the operators that bind least, has a line of its own.
 */

import { A1, type Notation } from "./notation.ts";
import { tokens } from "./tokens.ts";

export interface LayoutOptions {
  /** Letters of a line. */
  readonly width: number;
  /** Separator of arguments. */
  readonly separator: string;
  readonly notation?: Notation;
  /** The English name of a function, for those whose arguments are pairs. */
  readonly englishName?: (name: string) => string;
}

const INDENT = "  ";

/** Functions whose arguments are pairs, which share a line, after the first `from` arguments. */
const PAIRS: Readonly<Record<string, number>> = { IFS: 0, LET: 0, SWITCH: 1, SUMIFS: 1, COUNTIFS: 0, AVERAGEIFS: 1, MAXIFS: 1, MINIFS: 1 };

/** Infix operators that lines are broken before, by how strongly they bind. */
const STRENGTH: Readonly<Record<string, number>> = { "=": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "<>": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4, "^": 5 };

/** A call, or an expression in parentheses if `name` is empty. */
interface Call {
  readonly name: string;
  readonly parts: readonly Expression[];
}

interface Operator {
  readonly operator: string;
  readonly strength: number;
}

/** Text that is never broken, a call, or an infix operator. */
type Item = string | Call | Operator;
type Expression = readonly Item[];

/**
 * The formula on several lines, or on one if it fits; `undefined` if its parentheses do not match.
 * The result differs in whitespace alone.
 */
export function formulaOnLines(formula: string, options: LayoutOptions): string | undefined {
  const expression = read(formula, options);
  return expression && `=${lines(expression, 0, options)}`;
}

/** The formula without whitespace, except for intersections; `undefined` if its parentheses do not match. */
export function formulaOnOneLine(formula: string, options: LayoutOptions): string | undefined {
  const expression = read(formula, options);
  return expression && `=${flat(expression, options.separator)}`;
}

function read(formula: string, { separator, notation = A1 }: LayoutOptions): Expression | undefined {
  const all = tokens(formula, notation);
  let at = 1;
  const text = (): string => formula.slice(all[at]?.start, all[at]?.end);

  /** Reads up to a separator, a closing parenthesis or the end. */
  function expression(isArgument: boolean): Expression | undefined {
    const items: Item[] = [];
    // Infix operators follow operands.
    let followsOperand = false;
    let space = false;
    for (; at < all.length; at += 1) {
      const token = all[at]!;
      const word = text();
      if (word === ")" || (isArgument && token.kind === "operator" && word === separator)) {
        return items;
      }
      if (token.kind === "space") {
        space = followsOperand;
        continue;
      }
      if (token.kind === "operator") {
        const strength = followsOperand ? STRENGTH[word] : undefined;
        items.push(strength === undefined ? word : { operator: word, strength });
        followsOperand = word === "%" || word === "#";
      } else {
        // A space between operands is the operator of the intersection.
        if (space && followsOperand) {
          items.push(" ");
        }
        const item = word === "(" || token.kind === "function" ? call() : word === "{" || word === "[" ? unbroken() : word;
        if (item === undefined) {
          return undefined;
        }
        items.push(item);
        followsOperand = true;
      }
      space = false;
    }
    return isArgument ? undefined : items;
  }

  /** Reads a call from its name, or an expression in parentheses; stays at the closing parenthesis. */
  function call(): Call | undefined {
    const name = text() === "(" ? "" : text();
    while (text() !== "(") {
      at += 1;
    }
    const parts: Expression[] = [];
    do {
      at += 1;
      const part = expression(true);
      if (!part) {
        return undefined;
      }
      parts.push(part);
    } while (text() !== ")");
    return { name, parts };
  }

  /** Reads an array constant or the columns of a table as they are; stays at the closing bracket. */
  function unbroken(): string | undefined {
    const from = all[at]!.start;
    for (let depth = 0; at < all.length; at += 1) {
      depth += "{[".includes(text()) ? 1 : "}]".includes(text()) ? -1 : 0;
      if (depth === 0) {
        return formula.slice(from, all[at]!.end);
      }
    }
    return undefined;
  }

  const found = all.length > 0 ? expression(false) : undefined;
  return at === all.length ? found : undefined;
}

function flat(expression: Expression, separator: string): string {
  return expression.map((item) => flatItem(item, separator)).join("");
}

function flatItem(item: Item, separator: string): string {
  if (typeof item === "string") {
    return item;
  }
  return "operator" in item ? item.operator : `${item.name}(${item.parts.map((part) => flat(part, separator)).join(separator)})`;
}

function isOperator(item: Item): item is Operator {
  return typeof item !== "string" && "operator" in item;
}

/** The text of an expression whose first line starts at `depth` indents. */
function lines(expression: Expression, depth: number, options: LayoutOptions): string {
  const onOne = flat(expression, options.separator);
  if (depth * INDENT.length + onOne.length <= options.width) {
    return onOne;
  }
  const weakest = Math.min(...expression.filter(isOperator).map(({ strength }) => strength));
  if (weakest === Infinity) {
    return expression.map((item) => (typeof item === "object" && !isOperator(item) ? callOnLines(item, depth, options) : flatItem(item, options.separator))).join("");
  }
  let text = "";
  let operand: Item[] = [];
  const operands = [...expression, { operator: "", strength: weakest }];
  for (const item of operands) {
    if (isOperator(item) && item.strength === weakest) {
      text += lines(operand, depth, options);
      text += item.operator === "" ? "" : `\n${INDENT.repeat(depth)}${item.operator} `;
      operand = [];
    } else {
      operand.push(item);
    }
  }
  return text;
}

function callOnLines(call: Call, depth: number, options: LayoutOptions): string {
  const { separator, englishName = (name) => name.toUpperCase() } = options;
  const inside = `\n${INDENT.repeat(depth + 1)}`;
  const from = PAIRS[englishName(call.name)] ?? Infinity;
  const isFirstOfPair = (index: number): boolean => index >= from && (index - from) % 2 === 0;
  let text = `${call.name}(`;
  for (const [index, part] of call.parts.entries()) {
    const isLast = index === call.parts.length - 1;
    const shares = index > 0 && isFirstOfPair(index - 1);
    text += (shares ? " " : inside) + lines(part, depth + 1, options) + (isLast ? "" : separator);
  }
  return `${text}\n${INDENT.repeat(depth)})`;
}
