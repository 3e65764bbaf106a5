/** Which page: the start page at `/`, a workbook at `/{room}`. */

import { createSignal, lazy, onCleanup, Show, Suspense } from "solid-js";
import { newRoomName, roomOfPath, roomPath } from "./rooms.ts";
import { StartPage } from "./start/StartPage.tsx";

const WorkbookPage = lazy(() => import("./workbook/WorkbookPage.tsx"));

interface Place {
  readonly room: string | undefined;
  /** To be imported as soon as the room is open. */
  readonly file?: File | undefined;
}

export function Page() {
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
        <Suspense fallback={<div class="page-opening" />}>
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
