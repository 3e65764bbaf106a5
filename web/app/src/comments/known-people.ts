/** The people whose names can be chosen in cells of people. */

import { loadAccessApi } from "../access/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { mentionableNames, threadsOf } from "./threads.ts";

/** The author of changes by programs that give no name (`docs/rest.md`). */
const UNNAMED_PROGRAM = "API";

/**
 * The names of those who are here, have access to the workbook, have commented or made one of the
 * latest changes, in alphabetical order. The server tells only owners who has access. People with
 * access who have no name have their e-mail address.
 */
export async function knownPeople(model: WorkbookModel): Promise<readonly string[]> {
  const sheets = model.sheets();
  const [access, authors, ...items] = await Promise.all([
    loadAccessApi().then(({ readAccess }) => readAccess(model.room)).catch(() => undefined),
    import("../history/history.ts").then(({ readHistory }) => readHistory(model.room, undefined, undefined)).then(({ revisions }) => revisions.map(({ author }) => author.name)).catch(() => []),
    ...sheets.map(({ id }) => model.session.query({ type: "items", sheet: id })),
  ]);
  const threads = sheets.flatMap(({ id }, index) => threadsOf(id, items[index] ?? []));
  const withAccess = (access?.people ?? []).flatMap(({ person, name }) => name || (person.startsWith("account:") ? [] : person));
  const here = [model.identity().name, ...model.people().map(({ name }) => name)];
  return mentionableNames([...here, access?.ownerName ?? "", ...withAccess, ...authors.filter((name) => name !== UNNAMED_PROGRAM)], threads).sort((a, b) => a.localeCompare(b));
}
