/**
 * The rules of questions, as the page has them in `data-` attributes. The server checks the same
 * (`crates/server/src/forms/answers.rs`).
 */

/** What is required of an answer, with the sentences to show otherwise. */
export interface Rules {
  /** The answer; blank when there is none. */
  readonly text: string;
  readonly isRequired: boolean;
  readonly required: string;
  readonly kind: string;
  readonly invalid: string;
  /** The browser could not read what was typed into a field of numbers or dates. */
  readonly isUnreadable: boolean;
  readonly limit?: Limit;
  readonly file?: FileRules;
}

/** The chosen file of a question that asks for one, and what it accepts. */
export interface FileRules {
  readonly bytes: number;
  readonly bytesMax: number;
  /** Extensions such as `.pdf`. */
  readonly extensions: readonly string[];
  readonly tooLarge: string;
  readonly empty: string;
}

/** A limit of a value or of the length of a text. */
export interface Limit {
  readonly operator: string;
  readonly first: string | undefined;
  readonly second: string | undefined;
  readonly isLength: boolean;
  readonly isWhole: boolean;
  readonly message: string;
}

/** The rules of a question with the present answer. */
export function rulesOf(form: HTMLFormElement, question: HTMLElement): Rules {
  const { question: id = "", kind = "text", invalid = "", operator, limit = "", first, second } = question.dataset;
  const control = question.querySelector("input");
  if (kind === "file") {
    return { ...fileRules(question, control?.files?.[0]), required: form.dataset["required"] ?? "" };
  }
  const answers = new FormData(form).getAll(`q${id}`).map(String);
  return {
    text: answers.join("").trim(),
    isRequired: "must" in question.dataset,
    required: form.dataset["required"] ?? "",
    kind,
    invalid,
    isUnreadable: control?.validity.badInput ?? false,
    ...(operator === undefined
      ? {}
      : { limit: { operator, first, second, isLength: "length" in question.dataset, isWhole: "whole" in question.dataset, message: limit } }),
  };
}

function fileRules(question: HTMLElement, file: File | undefined): Omit<Rules, "required"> {
  const { invalid = "", limit = "", empty = "", bytes } = question.dataset;
  const extensions = (question.querySelector("input")?.accept ?? "").split(",");
  const rules = { text: file?.name ?? "", isRequired: "must" in question.dataset, kind: "file", invalid, isUnreadable: false };
  return file ? { ...rules, file: { bytes: file.size, bytesMax: Number(bytes), extensions, tooLarge: limit, empty } } : rules;
}

/** The sentence for the first rule that the answer breaks. */
export function brokenRule(rules: Rules): string | undefined {
  const { text, kind, limit } = rules;
  if (rules.isUnreadable) {
    return rules.invalid;
  }
  if (text === "") {
    return rules.isRequired ? rules.required : undefined;
  }
  if (rules.file) {
    return brokenFileRule(text, rules.file, rules.invalid);
  }
  if ((kind === "email" && !isEmail(text)) || (kind === "url" && !isUrl(text)) || (kind === "number" && !Number.isFinite(Number(text)))) {
    return rules.invalid;
  }
  return limit === undefined || isWithin(limit, text, kind) ? undefined : limit.message;
}

function brokenFileRule(name: string, file: FileRules, invalid: string): string | undefined {
  if (!file.extensions.some((extension) => name.toLowerCase().endsWith(extension))) {
    return invalid;
  }
  if (file.bytes > file.bytesMax) {
    return file.tooLarge;
  }
  return file.bytes === 0 ? file.empty : undefined;
}

/** One `@` with a name before it and a dotted domain after it, without spaces. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/u.test(text);
}

/** A dotted host or `localhost`, with `http`, `https` or no scheme, without spaces. */
export function isUrl(text: string): boolean {
  return /^((https?:\/\/)?[^\s/?#:.]+(\.[^\s/?#:.]+)+|https?:\/\/localhost)([/?#:]\S*)?$/iu.test(text);
}

function isWithin(limit: Limit, text: string, kind: string): boolean {
  // Dates and times compare as texts: `2026-11-26`, `18:00`.
  const isText = !limit.isLength && (kind === "date" || kind === "time");
  const read = (written: string): number | string => (isText ? written : Number(written));
  const value = limit.isLength ? [...text].length : read(text);
  if (limit.isWhole && !Number.isInteger(value)) {
    return false;
  }
  const compares = (written: string | undefined, meets: (bound: number | string) => boolean): boolean => written === undefined || meets(read(written));
  const isBetween = (): boolean => compares(limit.first, (bound) => value >= bound) && compares(limit.second, (bound) => value <= bound);
  switch (limit.operator) {
    case "equal":
      return compares(limit.first, (bound) => value === bound);
    case "notEqual":
      return compares(limit.first, (bound) => value !== bound);
    case "greater":
      return compares(limit.first, (bound) => value > bound);
    case "greaterOrEqual":
      return compares(limit.first, (bound) => value >= bound);
    case "less":
      return compares(limit.first, (bound) => value < bound);
    case "lessOrEqual":
      return compares(limit.first, (bound) => value <= bound);
    case "notBetween":
      return !isBetween();
    default:
      return isBetween();
  }
}
