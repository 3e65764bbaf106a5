/**
 * Components that are loaded on first use. When loading fails, an error with a retry button takes
 * their place.
 */

import { type Component, ErrorBoundary, type JSX, lazy, Suspense } from "solid-js";
import { t } from "../language/index.ts";
import { NativeDialog } from "./NativeDialog.tsx";

class LoadFailed extends Error {}

/**
 * Style sheets that failed to load. Failures are reported by events only, so they are collected
 * from the start.
 */
const failedStyles = new Set<HTMLLinkElement>();
window.addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") {
      failedStyles.add(target);
    }
  },
  { capture: true },
);

/**
 * A component that is loaded when it is first rendered, or by `preload`. Render it inside
 * `LazyBoundary`.
 */
export function lazyComponent<Props extends object>(load: () => Promise<Component<Props>>): Component<Props> & { readonly preload: () => Promise<unknown> } {
  return lazy(() =>
    load().then(
      (component) => ({ default: component }),
      (cause: unknown) => {
        throw new LoadFailed("a component could not be loaded", { cause });
      },
    ),
  );
}

/** Renders lazy components: `waiting` while one is loading, `failed` when loading has failed. */
export function LazyBoundary(props: { readonly waiting?: JSX.Element; readonly failed: (retry: () => void) => JSX.Element; readonly children: JSX.Element }) {
  return (
    <ErrorBoundary
      fallback={(error: unknown, reset: () => void) => {
        if (!(error instanceof LoadFailed)) {
          throw error;
        }
        console.warn("quadrille:", error.message, error.cause);
        return props.failed(() => void reloadStyles().then(reset));
      }}
    >
      <Suspense fallback={props.waiting}>{props.children}</Suspense>
    </ErrorBoundary>
  );
}

let stylesReload = Promise.resolve();

/**
 * Reloads failed style sheets. Attempts run one after the other, as the result of one is the input
 * of the next.
 */
function reloadStyles(): Promise<void> {
  stylesReload = stylesReload.then(reloadFailedStyles);
  return stylesReload;
}

/**
 * Requests failed style sheets again, which the loader of the bundler does not do. A component is
 * shown even if its styles fail again.
 */
async function reloadFailedStyles(): Promise<void> {
  const links = [...failedStyles];
  failedStyles.clear();
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

/** Whether somebody has tried to load a part again. */
let hasRetried = false;

/**
 * Another attempt to load a part, for the button of an error. After one that failed, the page is loaded again
 * if the server can be reached: Firefox requests a module that it could not load only then.
 */
function nextAttempt(onRetry: () => void): () => void {
  const isAfterRetry = hasRetried;
  return () => {
    hasRetried = true;
    if (isAfterRetry) {
      fetch("/healthz").then(({ ok }) => (ok ? location.reload() : onRetry()), onRetry);
    } else {
      onRetry();
    }
  };
}

/** The error in place of the content of a panel or popover. */
export function LoadError(props: { readonly onRetry: () => void }) {
  const retry = nextAttempt(() => props.onRetry());
  return (
    <div class="load-error" role="alert">
      <p>{t("This part of the page could not be loaded")}</p>
      <p class="panel-note">{t("Check the connection, then try again.")}</p>
      <button type="button" class="button" onClick={retry}>
        {t("Try again")}
      </button>
    </div>
  );
}

/** The error in place of a dialog. */
export function DialogLoadError(props: { readonly onRetry: () => void; readonly onClose: (() => void) | undefined }) {
  const retry = nextAttempt(() => props.onRetry());
  return (
    <NativeDialog isOpen title={t("This part of the page could not be loaded")} {...(props.onClose && { onClose: props.onClose })}>
      <p>{t("Check the connection, then try again.")}</p>
      <div class="modal-buttons">
        <button type="button" class="button" onClick={() => props.onClose?.()}>
          {t("Close")}
        </button>
        <button type="button" class="button is-main" autofocus onClick={retry}>
          {t("Try again")}
        </button>
      </div>
    </NativeDialog>
  );
}
