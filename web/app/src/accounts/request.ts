/** JSON requests to the API for accounts, sessions and administration (docs/rest.md). */

import { language, t } from "../language/index.ts";

/** The server did not do what was asked. */
export class RequestFailed extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number;
  /** Code of the error (docs/rest.md, "Errors"). */
  readonly code: string;
  /** Seconds until another attempt is allowed, if the server says so. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, code: string, retryAfterS?: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

const signedOutListeners = new Set<() => void>();
const signInAgainListeners = new Set<() => void>();

/** Calls `listener` when the server answers that nobody is signed in. Returns how to stop that. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

/** Calls `listener` when the server wants a new sign-in for a request. Returns how to stop that. */
export function onSignInAgain(listener: () => void): () => void {
  signInAgainListeners.add(listener);
  return () => signInAgainListeners.delete(listener);
}

/**
 * Sends a request and returns the JSON of the response; `undefined` for an empty response. Rejects
 * with `RequestFailed`.
 */
export async function request<Answer = undefined>(method: Method, path: string, body?: unknown): Promise<Answer> {
  const init: RequestInit = { method, headers: { accept: "application/json" } };
  if (body !== undefined) {
    init.headers = { accept: "application/json", "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(path, init).catch(() => undefined);
  if (!response) {
    throw new RequestFailed(0, "unreachable");
  }
  const text = await response.text().catch(() => "");
  if (!response.ok) {
    const failure = new RequestFailed(response.status, errorCode(text) ?? String(response.status), seconds(response.headers.get("retry-after")));
    if (failure.code === "sign_in_required") {
      signedOutListeners.forEach((listener) => listener());
    } else if (failure.code === "sign_in_again") {
      signInAgainListeners.forEach((listener) => listener());
    }
    throw failure;
  }
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

/** The query of a URL without the parameters that have no value. */
export function queryOf(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") {
      query.set(name, String(value));
    }
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function errorCode(text: string): string | undefined {
  try {
    const parsed = JSON.parse(text) as { readonly error?: { readonly code?: unknown } } | null;
    const code = parsed?.error?.code;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function seconds(header: string | null): number | undefined {
  const value = Number(header ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The text of a failed request, for people. */
export function failureText(error: unknown): string {
  if (!(error instanceof RequestFailed)) {
    return t("Something went wrong. Reload the page, then try again.");
  }
  switch (error.code) {
    case "unreachable":
      return t("The server cannot be reached. Check the connection, then try again.");
    case "sign_in_required":
      return t("You are signed out. Sign in again to continue.");
    case "sign_in_again":
      return t("Sign in again to change your account. Your last sign-in was a while ago.");
    case "too_many_requests":
      return t("Too many attempts. Try again in {time}.", { time: waitingTime(error.retryAfterS ?? 60) });
    case "overloaded":
    case "draining":
    case "request_timeout":
      return t("The server is busy. Nothing was changed. Try again.");
    case "forbidden":
      return t("You are not allowed to do this.");
    case "weak_password":
      return t("This password is easy to guess. Choose one that is not common and not made of your name, email address or the name of this service.");
    case "conflict":
      return t("Someone else changed this at the same time. Try again.");
    default:
      return t("The server rejected the request ({reason}).", { reason: error.code });
  }
}

/** A duration in the language of the page, rounded up: `40 seconds`, `5 minutes`, `2 hours`. */
export function waitingTime(durationS: number): string {
  const [unit, size] = durationS <= 90 ? (["second", 1] as const) : durationS <= 90 * 60 ? (["minute", 60] as const) : (["hour", 3_600] as const);
  const count = Math.max(1, Math.ceil(durationS / size));
  return new Intl.NumberFormat(language(), { style: "unit", unit, unitDisplay: "long" }).format(count);
}
