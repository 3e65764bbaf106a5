/** Responses that the server may not have yet, in the storage of this browser. */

/** A response as it is sent. */
export interface Response {
  /** Identifies the response: the server records it once. */
  readonly submission: string;
  /** The revision of the workbook when the page was loaded. */
  readonly revision: number;
  /** It may have been sent before. */
  readonly isRepeated: boolean;
  readonly website: string;
  readonly answers: Readonly<Record<string, readonly string[]>>;
}

/** Responses to one form that are kept. More are not accepted: nobody fills in as many. */
const KEPT_MAX = 50;

/** The responses to the form of a link that are kept, oldest first. */
export function keptResponses(link: string): readonly Response[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(link)) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isResponse) : [];
  } catch {
    // Storage is turned off, or it has something else: there is nothing to send.
    return [];
  }
}

/** Keeps a response until {@link forget}. */
export function keep(link: string, response: Response): void {
  store(link, [...others(link, response), response].slice(-KEPT_MAX));
}

/** Forgets a response that the server has recorded or refused. */
export function forget(link: string, response: Response): void {
  store(link, others(link, response));
}

function others(link: string, response: Response): readonly Response[] {
  return keptResponses(link).filter(({ submission }) => submission !== response.submission);
}

function store(link: string, responses: readonly Response[]): void {
  try {
    if (responses.length === 0) {
      localStorage.removeItem(key(link));
    } else {
      localStorage.setItem(key(link), JSON.stringify(responses));
    }
  } catch {
    // Without storage the response is kept as long as the page is open.
  }
}

function key(link: string): string {
  return `quadrille-form:${link}`;
}

function isResponse(value: unknown): value is Response {
  return typeof value === "object" && value !== null && "submission" in value && "answers" in value;
}
