/** Chooses the page: the start page at `/`, a workbook at `/{room}`, the pages for accounts. */

import { serverPath } from "./base-path.ts";
import { createSignal, lazy, onCleanup, Show, Suspense } from "solid-js";
import { pageOfPath } from "./accounts/index.ts";
import { loadIcons } from "./components/index.ts";
import { embedding } from "./embed/index.ts";
import { loadEnglishForms } from "./language/index.ts";
import { previewShown } from "./preview/index.ts";
import { newRoomName, roomOfPath, roomPath } from "./rooms/index.ts";

const PreviewSheet = lazy(() => import("./preview/PreviewSheet.tsx").then((module) => ({ default: module.PreviewSheet })));
const WorkbookPage = lazy(async () => {
  await previewShown();
  const page = await import("./workbook/WorkbookPage.tsx");
  await Promise.all([page.startReferenceStyle(), page.startFormulaLanguage()]);
  return { default: page.WorkbookPage };
});

const AccountPages = lazy(async () => {
  const pages = await import("./accounts/AccountPages.tsx");
  await Promise.all([pages.startAccountTexts(), loadIcons(), loadEnglishForms()]);
  return { default: pages.AccountPages };
});

const StartPage = lazy(async () => {
  const [page] = await Promise.all([import("./start/StartPage.tsx"), loadIcons(), loadEnglishForms()]);
  return { default: page.StartPage };
});

interface Route {
  readonly room: string | undefined;
  /** Imported when the workbook is open. */
  readonly file?: File | undefined;
}

/** The root component of the client. */
export function App() {
  const [route, setRoute] = createSignal<Route>({ room: roomOfPath(location.pathname) });
  const onPopState = (): void => {
    setRoute({ room: roomOfPath(location.pathname) });
  };
  window.addEventListener("popstate", onPopState);
  onCleanup(() => window.removeEventListener("popstate", onPopState));

  const open = (room: string, file?: File): void => {
    history.pushState(null, "", roomPath(room));
    setRoute({ room, file });
  };

  const accountPage = pageOfPath(location.pathname);
  if (accountPage) {
    return (
      <Suspense fallback={<div class="page-opening" />}>
        <AccountPages page={accountPage} />
      </Suspense>
    );
  }
  return (
    <Show
      when={route().room}
      keyed
      fallback={
        <Suspense fallback={<div class="page-opening" />}>
          <StartPage
            onOpen={open}
            onNew={() => open(newRoomName())}
            onFile={(file) => open(newRoomName(file.name), file)}
          />
        </Suspense>
      }
    >
      {(room) => (
        <Suspense
          fallback={
            <Suspense fallback={<div class="page-opening" />}>
              <Show when={!embedding} fallback={<div class="page-opening" />}>
                <PreviewSheet room={room} />
              </Show>
            </Suspense>
          }
        >
          <WorkbookPage
            room={room}
            file={route().file}
            onLeave={() => {
              history.pushState(null, "", serverPath("/"));
              setRoute({ room: undefined });
            }}
          />
        </Suspense>
      )}
    </Show>
  );
}
