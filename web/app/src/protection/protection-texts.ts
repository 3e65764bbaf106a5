/** What the page says about protected cells. */

import type { ItemDetails } from "@quadrille/protocol";
import { isolated, language, t } from "../language/index.ts";
import { type Editor, editorsOf, OWNER } from "./editors.ts";

/** The message for an edit of protected cells. */
export function describeProtection(lock: ItemDetails): string {
  const description = lock.fields["description"];
  const subject = lock.fields["wholeSheet"] === true ? t("This sheet is protected.") : t("These cells are protected.");
  const reason = typeof description === "string" && description !== "" ? ` ${isolated(asSentence(description))}` : "";
  const editors = editorsOf(lock);
  const remedy = editors.length === 0 ? t("Remove the protection with Data → Protected cells.") : onlyText(editorNames(editors));
  return `${subject}${reason} ${remedy}`;
}

function onlyText(people: string): string {
  return t("Only these people can edit: {people}.", { people: isolated(people) });
}

/** Adds a missing period. */
function asSentence(text: string): string {
  return /[.!?…。！？؟]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}

/** The localized text of an error for protected cells; `undefined` for other messages. */
export function protectionErrorText(message: string): string | undefined {
  if (message.includes("only people whom a protection names as editors can set it")) {
    return t("You can only restrict cells that you can edit yourself.");
  }
  const [, what, rest = "", people] = /(these cells are|this sheet is) protected: (.*?)(?:; editors: (.*))?$/.exec(message) ?? [];
  if (what === undefined) {
    return undefined;
  }
  const text = what === "this sheet is" ? t("This sheet is protected.") : t("These cells are protected.");
  const names = people?.split(", ").map((name) => (name === OWNER ? t("the owner") : name));
  return `${text} ${rest}. ${names ? onlyText(names.join(", ")) : t("Remove the protection with Data → Protected cells.")}`;
}

/** The names of editors, as a list in the language of the page. */
export function editorNames(editors: readonly Editor[]): string {
  const others = editors.filter(({ who }) => who !== OWNER).map(({ who, label }) => label || who);
  return new Intl.ListFormat(language()).format([...others, t("the owner")]);
}
