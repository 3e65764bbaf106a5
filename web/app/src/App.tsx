/** Which page: the start page at `/`, a workbook at `/{room}`. */

import { createSignal, lazy, onCleanup, Show, Suspense } from "solid-js";
import { embedding } from "./embed/index.ts";
import { previewShown } from "./preview/index.ts";
import { newRoomName, roomOfPath, roomPath } from "./rooms/index.ts";
import { StartPage } from "./start/index.ts";

const PreviewSheet = lazy(() => import("./preview/PreviewSheet.tsx").then((module) => ({ default: module.PreviewSheet })));
const WorkbookPage = lazy(async () => {
  await previewShown();
  const page = await import("./workbook/WorkbookPage.tsx");
  await page.startReferenceStyle();
  return { default: page.WorkbookPage };
});

interface Place {
  readonly room: string | undefined;
  /** To be imported as soon as the room is open. */
  readonly file?: File | undefined;
}

export function App() {
  const [place, setPlace] = createSignal<Place>({ room: roomOfPath(location.pathname) });
  const onPopState = (): void => {
    setPlace({ room: roomOfPath(location.pathname) });
  };
  window.addEventListener("popstate", onPopState);
  onCleanup(() => window.removeEventListener("popstate", onPopState));

  const open = (room: string, file?: File): void => {
    history.pushState(null, "", roomPath(room));
    setPlace({ room, file });
  };

  return (
    <Show
      when={place().room}
      keyed
      fallback={
        <StartPage
          onOpen={open}
          onNew={() => open(newRoomName())}
          onFile={(file) => open(newRoomName(file.name), file)}
        />
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
            file={place().file}
            onLeave={() => {
              history.pushState(null, "", "/");
              setPlace({ room: undefined });
            }}
          />
        </Suspense>
      )}
    </Show>
  );
}
