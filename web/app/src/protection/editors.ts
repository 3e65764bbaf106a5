/**
 * Who may edit a protected range: the field `editors` of its item (docs/operations.md, "Protected
 * cells"). An entry is `owner`, an account or an e-mail address, and may have a name for people.
 */

import type { ItemDetails } from "@quadrille/protocol";

/** The entry for the owners of the workbook. */
export const OWNER = "owner";

/** The person of this page, as the server has verified it. */
export interface VerifiedPerson {
  readonly isOwner: boolean;
  /** `account:…`; empty for a person without an account. */
  readonly account: string;
  /** A verified address, in lower case; may be empty. */
  readonly email: string;
}

/** One entry of the field. */
export interface Editor {
  /** `owner`, `account:…` or an e-mail address. */
  readonly who: string;
  /** The name for people; may be empty. */
  readonly label: string;
}

/** The editors that a protection names; empty if it is closed to everybody. */
export function editorsOf(item: ItemDetails): readonly Editor[] {
  const entries = item.fields["editors"];
  return Array.isArray(entries) ? entries.flatMap((entry) => (typeof entry === "string" ? [parseEditor(entry)] : [])) : [];
}

function parseEditor(entry: string): Editor {
  const [who = "", ...label] = entry.trim().split(" ");
  return { who, label: label.join(" ").trim() };
}

/** The entry of an editor. */
export function editorText({ who, label }: Editor): string {
  return label === "" ? who : `${who} ${label}`.slice(0, 255);
}

/**
 * Whether a person may edit cells of a protection that names its editors. As long as the server has
 * not said who the person is, only the room decides.
 */
export function isEditor(editors: readonly Editor[], person: VerifiedPerson | undefined): boolean {
  if (person === undefined || person.isOwner) {
    return true;
  }
  const { account, email } = person;
  return editors.some(({ who }) => who !== OWNER && ((account !== "" && who === account) || (email !== "" && who.toLowerCase() === email)));
}

/** The addresses in a text, separated by commas, semicolons or spaces; `undefined` if one is none. */
export function parseAddresses(text: string): readonly string[] | undefined {
  const addresses = text.split(/[\s,;]+/).filter((part) => part !== "");
  return addresses.every((address) => /^[^\s@<>()[\],;:\\"]+@[^\s@]+\.[^\s@.]+$/.test(address)) ? addresses.map((address) => address.toLowerCase()) : undefined;
}
