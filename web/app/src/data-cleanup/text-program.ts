/**
 * Learns how texts are made from other texts of their rows, from examples.
 *
 * A program joins pieces: constant characters, and parts of the inputs between two positions, in
 * upper, lower or title case. Positions are relative to tokens, such as "the end of the last word".
 * This is the language of S. Gulwani, "Automating string processing in spreadsheets using
 * input-output examples", POPL 2011, sections 3 and 4, without conditions and loops. The program
 * with the lowest cost that agrees with all examples is found by Dijkstra's algorithm: a state holds
 * how much of each output is written.
 */

/** The texts of a row, and the text that is to be made from them. */
export interface Example {
  readonly inputs: readonly string[];
  readonly output: string;
}

/** Makes the text of a row; `undefined` if the row has not the parts that it needs. */
export type TextProgram = (inputs: readonly string[]) => string | undefined;

/** Longer inputs and outputs are not learnt from. */
export const TEXT_CHARS_MAX = 300;
const STATES_MAX = 20_000;
/** Programs that are tried for one part of an output. */
const PIECES_MAX = 60;
/** Letters from the edge of a token, as in an initial or a prefix. */
const OFFSET_MAX = 4;
/** Tokens of a kind that are counted from either end. */
const NTH_MAX = 12;
/** Ways to describe one position, the likeliest ones. */
const POSITIONS_MAX = 10;

/** Kinds of tokens, the likelier ones first. */
const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["word", /[\p{L}\p{M}’']+/gu],
  ["number", /\p{Nd}+/gu],
  ["mixed", /[\p{L}\p{M}\p{Nd}’']+/gu],
  ["space", /\s+/gu],
];
/** Punctuation and symbols are tokens of a kind of their own. */
const SYMBOL = /[^\p{L}\p{M}\p{Nd}\s]/gu;

type Span = readonly [start: number, end: number];

/** A position in a text. */
interface Position {
  /** A kind of token, or `text` for the whole text. */
  readonly kind: string;
  /** Which token of this kind, from the left for 0 and more, from the right for less. */
  readonly nth: number;
  readonly isEnd: boolean;
  /** Characters after the start of the token, or before its end. */
  readonly offset: number;
}

type Case = "same" | "lower" | "upper" | "title";

/** A part of an input, or a constant text. */
type Piece =
  | { readonly constant: string }
  | { readonly input: number; readonly from: Position; readonly to: Position; readonly letterCase: Case };

/** The tokens of a text by kind. */
class Tokens {
  readonly text: string;
  readonly byKind = new Map<string, Span[]>();

  constructor(text: string) {
    this.text = text;
    this.byKind.set("text", [[0, text.length]]);
    for (const [kind, pattern] of KINDS) {
      this.add(text, pattern, () => kind);
    }
    this.add(text, SYMBOL, (symbol) => symbol);
  }

  private add(text: string, pattern: RegExp, kindOf: (token: string) => string): void {
    for (const match of text.matchAll(pattern)) {
      const kind = kindOf(match[0]);
      this.byKind.set(kind, [...(this.byKind.get(kind) ?? []), [match.index, match.index + match[0].length]]);
    }
  }

  /** The index of a position in the text. */
  indexOf({ kind, nth, isEnd, offset }: Position): number | undefined {
    const token = this.byKind.get(kind)?.at(nth);
    if (!token || offset > token[1] - token[0]) {
      return undefined;
    }
    return isEnd ? token[1] - offset : token[0] + offset;
  }

  /** The positions of the text by their index, each with its likeliest descriptions. */
  positions(): ReadonlyMap<number, readonly Position[]> {
    const found = new Map<number, Position[]>();
    const add = (index: number, position: Position): void => {
      const others = found.get(index);
      if (others) {
        others.push(position);
      } else {
        found.set(index, [position]);
      }
    };
    for (const [kind, spans] of this.byKind) {
      for (const [at, [start, end]] of spans.entries()) {
        for (const nth of [at, at - spans.length].filter((count) => count >= -NTH_MAX && count < NTH_MAX)) {
          for (let offset = 0; offset <= Math.min(OFFSET_MAX, end - start); offset += 1) {
            add(start + offset, { kind, nth, isEnd: false, offset });
            add(end - offset, { kind, nth, isEnd: true, offset });
          }
        }
      }
    }
    for (const [index, positions] of found) {
      found.set(index, positions.sort((a, b) => costOf(a) - costOf(b)).slice(0, POSITIONS_MAX));
    }
    return found;
  }
}

function costOf({ kind, nth, offset }: Position): number {
  const rank = KINDS.findIndex(([name]) => name === kind);
  const base = kind === "text" ? 0.6 : rank >= 0 ? 1 + rank * 0.1 : 1.1;
  // The last token is as likely as the first one, and one in between is likelier counted from the left.
  const distance = nth >= 0 ? nth * 0.2 : (-nth - 1) * 0.25 + 0.05;
  return base + distance + (offset > 0 ? 0.8 + offset * 0.05 : 0);
}

const BRACKETS: ReadonlySet<string> = new Set(["()", "[]", "{}", "<>", "«»", "“”", '""']);

/** Both edges of one token are one decision, and so are the brackets around a text. */
function costOfPart(from: Position, to: Position, length: number): number {
  if (BRACKETS.has(from.kind + to.kind) && from.isEnd && !to.isEnd && from.offset + to.offset === 0) {
    return 0.9 + Math.abs(from.nth) * 0.1;
  }
  // A single character is an initial, or else it is there by chance.
  const chance = length === 1 && (from.isEnd || from.offset > 0) ? 1.5 : 0;
  const isOneToken = from.kind === to.kind && from.nth === to.nth && !from.isEnd;
  return chance + costOf(from) + (isOneToken && (to.isEnd || to.offset > 0) ? 0.2 + (to.offset > 0 ? 0.5 : 0) : costOf(to));
}

function toTitle(text: string): string {
  return text.toLocaleLowerCase().replace(/(^|[^\p{L}\p{M}’'])(\p{L})/gu, (_, before: string, letter: string) => before + letter.toLocaleUpperCase());
}

const CASES: readonly (readonly [letterCase: Case, change: (text: string) => string])[] = [
  ["same", (text) => text],
  ["lower", (text) => text.toLocaleLowerCase()],
  ["upper", (text) => text.toLocaleUpperCase()],
  ["title", toTitle],
];

function valueOf(piece: Piece, inputs: readonly Tokens[]): string | undefined {
  if ("constant" in piece) {
    return piece.constant;
  }
  const tokens = inputs[piece.input];
  const [from, to] = [tokens?.indexOf(piece.from), tokens?.indexOf(piece.to)];
  if (!tokens || from === undefined || to === undefined || from >= to) {
    return undefined;
  }
  const change = CASES.find(([letterCase]) => letterCase === piece.letterCase)?.[1];
  return change?.(tokens.text.slice(from, to));
}

interface Candidate {
  readonly piece: Piece;
  readonly cost: number;
}

/** The parts of the inputs of an example by their value, the cheapest first. */
function partsOf(inputs: readonly Tokens[], output: string): ReadonlyMap<string, readonly Candidate[]> {
  const parts = new Map<string, Candidate[]>();
  for (const [input, tokens] of inputs.entries()) {
    const positions = tokens.positions();
    for (const [start, froms] of positions) {
      for (const [end, tos] of positions) {
        if (start >= end) {
          continue;
        }
        const values = new Map<string, Case>();
        for (const [letterCase, change] of CASES) {
          const value = change(tokens.text.slice(start, end));
          if (!values.has(value) && output.includes(value)) {
            values.set(value, letterCase);
          }
        }
        for (const [value, letterCase] of values) {
          const extra = (letterCase === "same" ? 0 : 0.7) + input * 0.001;
          const found = froms.flatMap((from) =>
            tos.map((to): Candidate => ({ piece: { input, from, to, letterCase }, cost: costOfPart(from, to, end - start) + extra })),
          );
          const cheapest = [...(parts.get(value) ?? []), ...found].sort((a, b) => a.cost - b.cost);
          parts.set(value, cheapest.slice(0, PIECES_MAX));
        }
      }
    }
  }
  return parts;
}

/** The cost of a constant character: a letter is seldom one, unless others precede it, and a digit less often. */
function costOfConstant(character: string, isContinued: boolean): number {
  const continued = /\p{Nd}/u.test(character) ? 1.6 : 0.6;
  return /[\p{L}\p{Nd}]/u.test(character) ? (isContinued ? continued : 2.4) : 0.9;
}

interface State {
  /** Characters written of each output. */
  readonly written: readonly number[];
  readonly cost: number;
  readonly pieces: readonly Piece[];
}

/** The simplest program that agrees with all examples; `undefined` if there is none. */
export function learnTextProgram(examples: readonly Example[]): TextProgram | undefined {
  const [first] = examples;
  const isTooLong = examples.some(({ inputs, output }) => output === "" || [output, ...inputs].some((text) => text.length > TEXT_CHARS_MAX));
  if (!first || isTooLong) {
    return undefined;
  }
  const rows = examples.map(({ inputs, output }) => ({ inputs: inputs.map((text) => new Tokens(text)), output }));
  const parts = partsOf(rows[0]?.inputs ?? [], first.output);
  const pieces = shortestPath(rows, parts);
  // One text that has nothing of its row does not show a pattern.
  if (!pieces || (examples.length === 1 && pieces.every((piece) => "constant" in piece))) {
    return undefined;
  }
  return (inputs) => {
    const tokens = inputs.map((text) => new Tokens(text));
    const values = pieces.map((piece) => valueOf(piece, tokens));
    return values.includes(undefined) ? undefined : values.join("");
  };
}

function shortestPath(
  rows: readonly { readonly inputs: readonly Tokens[]; readonly output: string }[],
  parts: ReadonlyMap<string, readonly Candidate[]>,
): readonly Piece[] | undefined {
  const output = rows[0]?.output ?? "";
  const queue: State[] = [{ written: rows.map(() => 0), cost: 0, pieces: [] }];
  const done = new Set<string>();
  const add = (state: State, { piece, cost }: Candidate): void => {
    const written: number[] = [];
    for (const [at, row] of rows.entries()) {
      const value = valueOf(piece, row.inputs);
      const before = state.written[at] ?? 0;
      if (value === undefined || !row.output.startsWith(value, before)) {
        return;
      }
      written.push(before + value.length);
    }
    const next = { written, cost: state.cost + cost, pieces: [...state.pieces, piece] };
    if (!done.has(keyOf(next))) {
      insert(queue, next);
    }
  };
  while (queue.length > 0 && done.size < STATES_MAX) {
    const state = queue.pop();
    if (!state || done.has(keyOf(state))) {
      continue;
    }
    done.add(keyOf(state));
    if (state.written.every((count, at) => count === rows[at]?.output.length)) {
      return state.pieces;
    }
    const [start = 0] = state.written;
    for (let end = start + 1; end <= output.length; end += 1) {
      for (const candidate of parts.get(output.slice(start, end)) ?? []) {
        add(state, candidate);
      }
    }
    const [constant] = output.slice(start);
    if (constant !== undefined) {
      add(state, { piece: { constant }, cost: costOfConstant(constant, endsInConstant(state.pieces)) });
    }
  }
  return undefined;
}

function endsInConstant(pieces: readonly Piece[]): boolean {
  const last = pieces.at(-1);
  return last !== undefined && "constant" in last;
}

/** Equal for states from which the same pieces have the same costs. */
function keyOf({ written, pieces }: State): string {
  return `${written.join()}${endsInConstant(pieces) ? "c" : ""}`;
}

/** Inserts a state into a queue that has the lowest cost at its end. */
function insert(queue: State[], state: State): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.cost ?? 0) > state.cost) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  queue.splice(low, 0, state);
}
