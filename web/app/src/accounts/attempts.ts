/** Attempts to sign in: the error of the last one, and whether the next one has to wait. */

import { createSignal, onCleanup } from "solid-js";
import { type Message, t } from "../language/index.ts";
import { failureText, RequestFailed } from "./request.ts";

/** The attempts of one form. */
export type Attempts = ReturnType<typeof createAttempts>;

/** The error of an attempt, and whether the next one has to wait. */
export function createAttempts() {
  const [error, setError] = createSignal<string>();
  const [isWaiting, setIsWaiting] = createSignal(false);
  let timer = 0;
  onCleanup(() => window.clearTimeout(timer));
  return {
    error,
    isWaiting,
    clear: () => setError(undefined),
    fail: (cause: unknown, wrong: Message) => {
      const isWrong = cause instanceof RequestFailed && (cause.code === "sign_in_failed" || cause.code === "bad_credentials");
      setError(isWrong ? t(wrong) : failureText(cause));
      if (cause instanceof RequestFailed && cause.retryAfterS !== undefined) {
        setIsWaiting(true);
        timer = window.setTimeout(() => {
          setIsWaiting(false);
          setError(t("You can try again now."));
        }, cause.retryAfterS * 1_000);
      }
    },
  };
}
