/** Forms in the REST API (docs/rest.md, "Forms"). */

import { roomFetch } from "../access/index.ts";
import { language, serverRefusal, t } from "../language/index.ts";
import { roomApi } from "../rooms/index.ts";

/** How a question is answered. */
export type QuestionKind =
  | "shortText"
  | "paragraph"
  | "number"
  | "date"
  | "time"
  | "dateTime"
  | "email"
  | "url"
  | "checkbox"
  | "choice"
  | "dropdown"
  | "multipleChoice"
  | "rating"
  | "file";

/** Files that a question accepts. */
export type FileKind = "pdf" | "image" | "document" | "spreadsheet" | "presentation" | "text" | "audio" | "video" | "archive";

/** A column that is asked for. */
export interface FormQuestion {
  /** The header of the column; `null` when it is gone. */
  readonly column: string | null;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly kind: QuestionKind | null;
  readonly choices: readonly string[];
  /** Empty for all kinds; of a question for a file. */
  readonly fileKinds: readonly FileKind[];
  /** Bytes of a file at most; `null` for the limit of the server. */
  readonly fileBytesMax: number | null;
}

/** A form with its link. */
export interface FormDetails {
  readonly id: string;
  /** The path of the page; `null` when the link is revoked. */
  readonly url: string | null;
  readonly table: string | null;
  readonly title: string;
  readonly description: string;
  readonly confirmation: string;
  readonly isClosed: boolean;
  readonly closesMs: number | null;
  readonly rowsMax: number | null;
  readonly timestampColumn: string | null;
  readonly questions: readonly FormQuestion[];
  readonly columns: readonly { readonly header: string; readonly isCalculated: boolean }[];
}

/** Members of a form that are set. */
export type FormChange = Partial<Omit<FormDetails, "id" | "url" | "table" | "columns">>;

/** The forms of a workbook, oldest first. */
export async function listForms(room: string): Promise<readonly FormDetails[]> {
  const answer = (await (await send(room, "GET", "")).json()) as { forms: readonly FormDetails[] };
  return answer.forms;
}

/** Creates a form over cells, which become a table unless they are one. */
export async function createForm(room: string, sheet: string, range: string, title: string): Promise<FormDetails> {
  return (await send(room, "POST", "", { sheet, range, title })).json() as Promise<FormDetails>;
}

/** Changes a form; its link stays the same. */
export async function changeForm(room: string, id: string, change: FormChange): Promise<void> {
  await send(room, "PUT", `/${encodeURIComponent(id)}`, change);
}

/** Deletes a form; its responses stay. */
export async function deleteForm(room: string, id: string): Promise<void> {
  await send(room, "DELETE", `/${encodeURIComponent(id)}`);
}

/** Makes a new link, which ends the one before. */
export async function renewLink(room: string, id: string): Promise<void> {
  await send(room, "POST", `/${encodeURIComponent(id)}/link`);
}

/** Ends the link of a form; it can be given a new one. */
export async function revokeLink(room: string, id: string): Promise<void> {
  await send(room, "DELETE", `/${encodeURIComponent(id)}/link`);
}

/** The page of a form with changes that are not stored, as HTML. */
export async function previewForm(room: string, id: string, change: FormChange): Promise<string> {
  return (await send(room, "POST", `/${encodeURIComponent(id)}/preview`, change)).text();
}

async function send(room: string, method: string, path: string, body?: object): Promise<Response> {
  const content = body && { headers: { "content-type": "application/json", "accept-language": language() }, body: JSON.stringify(body) };
  const response = await roomFetch(room, `${roomApi(room)}/forms${path}`, { method, ...content }).catch(() => {
    throw new Error(t("The server cannot be reached"));
  });
  if (!response.ok) {
    const answer = (await response.json().catch(() => undefined)) as { error?: { code?: string; message?: string } } | undefined;
    const code = answer?.error?.code ?? String(response.status);
    throw new Error(serverRefusal(code) ?? t("The server rejected the change: {reason}", { reason: answer?.error?.message ?? code }));
  }
  return response;
}
