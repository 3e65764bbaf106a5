/**
 * Parts of the page that are loaded when they are first wanted, and may not arrive. Whoever wanted one is told so, and can try again:
 * without this there would be nothing, and keys would wait for it.
 */

import { type Component, ErrorBoundary, type JSX, lazy, Suspense } from "solid-js";
import { t } from "../language/index.ts";
import { NativeDialog } from "./NativeDialog.tsx";

class NotArrived extends Error {}

/** As long as the page: which style did not arrive can only be heard, not asked. */
const stylesMissing = new Set<HTMLLinkElement>();
window.addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") {
      stylesMissing.add(target);
    }
  },
  { capture: true },
);

export function lazyComponent<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> & { readonly preload: () => Promise<unknown> } {
  return lazy(() =>
    load().then(
      (component) => ({ default: component }),
      (cause: unknown) => {
        throw new NotArrived("a part of the page did not arrive", { cause });
      },
    ),
  );
}

/** `waiting` stands in for what is on its way, `failed` for what does not arrive. */
export function LazyBoundary(props: { readonly waiting?: JSX.Element; readonly failed: (retry: () => void) => JSX.Element; readonly children: JSX.Element }) {
  return (
    <ErrorBoundary
      fallback={(error: unknown, reset: () => void) => {
        if (!(error instanceof NotArrived)) {
          throw error;
        }
        console.warn("quadrille:", error.message, error.cause);
        return props.failed(() => void loadStylesAgain().then(reset));
      }}
    >
      <Suspense fallback={props.waiting}>{props.children}</Suspense>
    </ErrorBoundary>
  );
}

let stylesLoading = Promise.resolve();

/** One attempt after the other: what is missing is not known before the one under way has ended. */
function loadStylesAgain(): Promise<void> {
  stylesLoading = stylesLoading.then(loadMissingStyles);
  return stylesLoading;
}

/** The bundler's loader asks for each style once only, whether it came or not. Without them a part is better than none. */
async function loadMissingStyles(): Promise<void> {
  const links = [...stylesMissing];
  stylesMissing.clear();
  await Promise.all(
    links.map(
      (link) =>
        new Promise<void>((done) => {
          const next = document.createElement("link");
          next.rel = "stylesheet";
          next.crossOrigin = link.crossOrigin;
          next.href = link.href;
          next.onload = next.onerror = () => done();
          link.replaceWith(next);
        }),
    ),
  );
}

/** Inside of what has opened. */
export function LoadError(props: { readonly onRetry: () => void }) {
  return (
    <div class="part-missing" role="alert">
      <p>{t("This part of the page could not be loaded")}</p>
      <p class="panel-note">{t("Check the connection, then try again.")}</p>
      <button type="button" class="button" onClick={() => props.onRetry()}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** In place of a dialog. */
export function DialogLoadError(props: { readonly onRetry: () => void; readonly onClose: (() => void) | undefined }) {
  return (
    <NativeDialog isOpen title={t("This part of the page could not be loaded")} {...(props.onClose && { onClose: props.onClose })}>
      <p>{t("Check the connection, then try again.")}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose?.()}>
          {t("Close")}
        </button>
        <button type="button" class="button is-main" autofocus onClick={() => props.onRetry()}>
          {t("Try again")}
        </button>
      </div>
    </NativeDialog>
  );
}
