/** Data validation rules: types, operators and descriptions. */

import type { ItemDetails, ItemValue } from "@quadrille/protocol";
import { type Message, t } from "../language/index.ts";
import { displayedFormula, hostOf } from "../settings/index.ts";

/** The rules in the order of the menu. */
export const RULES = [
  ["list", "List"],
  ["checkbox", "Checkbox"],
  ["people", "People"],
  ["rating", "Rating"],
  ["whole", "Whole number"],
  ["decimal", "Number"],
  ["date", "Date"],
  ["time", "Time"],
  ["textLength", "Text length"],
  ["email", "Email address"],
  ["url", "URL"],
  ["formula", "Custom formula"],
] as const satisfies readonly (readonly [rule: string, name: Message])[];

/** Fields of the choices of the menu that are a rule with a display style. */
const STYLED_RULES: Readonly<Record<string, Readonly<Record<string, ItemValue>>>> = {
  people: { rule: "any", displayStyle: "people" },
  rating: { rule: "whole", displayStyle: "rating", operator: "between", formula1: "=0", formula2: "=5" },
};

/** The fields of a choice of the menu, without those that it lets people enter. */
export function fieldsOfRule(rule: string): Readonly<Record<string, ItemValue>> {
  return STYLED_RULES[rule] ?? { rule };
}

/** The choice of the menu that a rule is. */
export function ruleOf(fields: ItemDetails["fields"]): string {
  const styled = Object.entries(STYLED_RULES).find(([, { rule, displayStyle }]) => fields["rule"] === rule && fields["displayStyle"] === displayStyle);
  return styled?.[0] ?? textOf(fields["rule"]);
}

/** Rules with an operator and limits. */
export const COMPARISON_KINDS: ReadonlySet<string> = new Set(["whole", "decimal", "date", "time", "textLength"]);

/** The operators in the order of the menu. */
export const OPERATORS = [
  ["between", "between"],
  ["notBetween", "not between"],
  ["equal", "equal to"],
  ["notEqual", "not equal to"],
  ["greater", "greater than"],
  ["greaterOrEqual", "greater than or equal to"],
  ["less", "less than"],
  ["lessOrEqual", "less than or equal to"],
] as const satisfies readonly (readonly [operator: string, name: Message])[];

/** Operators in a sentence, before the limits. */
const COMPARISONS: Readonly<Record<string, Message>> = {
  between: "between|of an entry",
  notBetween: "not between|of an entry",
  equal: "equal to|of an entry",
  notEqual: "not equal to|of an entry",
  greater: "greater than|of an entry",
  greaterOrEqual: "greater than or equal to|of an entry",
  less: "less than|of an entry",
  lessOrEqual: "less than or equal to|of an entry",
};
const DATE_COMPARISONS: typeof COMPARISONS = {
  greater: "after|of a day",
  greaterOrEqual: "on or after",
  less: "before|of a day",
  lessOrEqual: "on or before",
};

/** Whether the operator has two limits. */
export const needsTwoValues = (operator: string): boolean => operator === "between" || operator === "notBetween";

/** The text of a field; empty if it is not set. */
export const textOf = (value: ItemValue | undefined): string => (value === undefined || value === null ? "" : String(value));

/**
 * A limit for display: dates and times in ISO format, otherwise a formula without `=`, which
 * `display` converts to the notation of the user.
 */
export function limitText(value: ItemValue | undefined, display: (formula: string) => string): string {
  const formula = textOf(value).replace(/^=/, "");
  const date = /^DATE\((\d+),(\d+),(\d+)\)$/.exec(formula);
  if (date) {
    const [, year = "", month = "", day = ""] = date;
    return `${year.padStart(4, "0")}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  }
  const time = /^TIME\((\d+),(\d+),(\d+)\)$/.exec(formula);
  if (time) {
    const [, hour = "", minute = "", second = "0"] = time;
    return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}${second === "0" ? "" : `:${second.padStart(2, "0")}`}`;
  }
  return display(formula);
}

/**
 * The formula of a typed limit: ISO dates and times are converted, other text is a formula in the
 * notation of the user, which `store` converts.
 */
export function limitFormula(text: string, store: (formula: string) => string): string {
  const typed = text.trim().replace(/^=/, "");
  const date = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (date) {
    return `=DATE(${Number(date[1])},${Number(date[2])},${Number(date[3])})`;
  }
  const time = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(typed);
  if (time) {
    return `=TIME(${Number(time[1])},${Number(time[2])},${Number(time[3] ?? 0)})`;
  }
  return typed === "" ? "" : store(`=${typed}`);
}

/** A description of the rule, for rules without an error message. */
export function describeRule({ fields, anchors }: ItemDetails): string {
  const rule = textOf(fields["rule"]);
  const limit = (formula: ItemValue | undefined): string => limitText(formula, (text) => displayedFormula(text, hostOf(anchors)));
  const first = limit(fields["formula1"]);
  const name = RULES.find(([type]) => type === rule)?.[1];
  if (rule === "list") {
    const choices = fields["choices"];
    const list = Array.isArray(choices) ? choices.slice(0, 8).map(textOf).join(", ") + (choices.length > 8 ? " …" : "") : first;
    return t("Allowed: {what}", { what: list });
  }
  if (rule === "formula") {
    return t("Allowed: values for which {formula} is true.", { formula: `=${first}` });
  }
  const operator = textOf(fields["operator"]) || "between";
  const comparison = (rule === "date" ? DATE_COMPARISONS[operator] : undefined) ?? COMPARISONS[operator];
  if (!name || !COMPARISON_KINDS.has(rule) || !comparison) {
    return t("Allowed: {what}", { what: name ? t(name) : rule });
  }
  const limits = needsTwoValues(operator) ? t("{from} and {to}", { from: first, to: limit(fields["formula2"]) }) : first;
  return t("Allowed: {what}", { what: t("{kind} {comparison} {limits}", { kind: t(name), comparison: t(comparison), limits }) });
}
