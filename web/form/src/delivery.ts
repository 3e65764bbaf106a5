/** Sends a response, and says what became of it. */

import type { Response as FormResponse } from "./outbox.ts";

/** An answer that the server does not accept. */
export interface RefusedAnswer {
  readonly question: string;
  readonly message: string;
}

/** What became of a response. */
export type Outcome =
  | { readonly kind: "recorded"; readonly confirmation: string }
  | { readonly kind: "refused"; readonly message: string; readonly errors: readonly RefusedAnswer[] }
  /** To be sent again: there is no network, or the server has no time. */
  | { readonly kind: "unreachable"; readonly message?: string };

/** Milliseconds that the server has to answer. */
const ANSWER_MS_MAX = 30_000;
/** Bytes of files that a connection sends in a millisecond at least: the server waits no longer either. */
const BYTES_PER_MS_MIN = 4;

/** Sends a response to the form of a link. */
export async function deliver(link: string, response: FormResponse): Promise<Outcome> {
  const { files, ...answers } = response;
  const hasFiles = Object.keys(files).length > 0;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.size, 0);
  try {
    const reply = await fetch(`../api/v1/forms/${link}/responses${location.search}`, {
      method: "POST",
      headers: { "accept-language": document.documentElement.lang, ...(hasFiles ? {} : { "content-type": "application/json" }) },
      body: hasFiles ? partsOf(response) : JSON.stringify(answers),
      signal: AbortSignal.timeout(ANSWER_MS_MAX + bytes / BYTES_PER_MS_MIN),
    });
    const body = await read(reply);
    if (reply.ok) {
      return { kind: "recorded", confirmation: body.confirmation ?? "" };
    }
    const message = body.error?.message ?? reply.statusText;
    // An earlier attempt is still being recorded, too much is sent, or the server is away.
    const isTemporary = reply.status === 429 || reply.status >= 500 || body.error?.code === "idempotency_key_in_use";
    if (isTemporary) {
      return reply.status === 429 ? { kind: "unreachable", message } : { kind: "unreachable" };
    }
    return { kind: "refused", message, errors: body.answers ?? [] };
  } catch {
    // `fetch` fails without a network.
    return { kind: "unreachable" };
  }
}

/** The response as `multipart/form-data`, with the fields of the page. */
function partsOf(response: FormResponse): FormData {
  const parts = new FormData();
  parts.set("submission", response.submission);
  parts.set("revision", String(response.revision));
  parts.set("isRepeated", String(response.isRepeated));
  parts.set("website", response.website);
  for (const [question, answers] of Object.entries(response.answers)) {
    answers.forEach((answer) => parts.append(`q${question}`, answer));
  }
  for (const [question, file] of Object.entries(response.files)) {
    parts.append(`q${question}`, file, file.name);
  }
  return parts;
}

interface Reply {
  readonly confirmation?: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly answers?: readonly RefusedAnswer[];
}

async function read(reply: Response): Promise<Reply> {
  const body: unknown = await reply.json().catch(() => ({}));
  return typeof body === "object" && body !== null ? body : {};
}
