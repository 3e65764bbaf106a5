/** The start page `/`: a new workbook, a file, or a recent room. */

import "../style/start.css";
import "../style/touch.css";
import { createSignal, For, Show } from "solid-js";
import { FILE_TYPES } from "../files/index.ts";
import { FileDropZone, Icon, LanguageField, Logo } from "../components/index.ts";
import { ago, t } from "../language/index.ts";
import { forgetRoom, recentRooms, roomPath, roomTitle } from "../rooms/index.ts";

/** The start page. */
export function StartPage(props: {
  readonly onNew: () => void;
  readonly onOpen: (room: string) => void;
  readonly onFile: (file: File) => void;
}) {
  const [recent, setRecent] = createSignal(recentRooms());
  document.title = "Quadrille";
  let fileField: HTMLInputElement | undefined;

  return (
    <div class="start">
      <header class="start-header">
        <Logo sizePx={56} />
        <h1>Quadrille</h1>
        <p>{t("A spreadsheet that any number of people can edit at the same time.")}</p>
      </header>
      <main class="start-main">
        <div class="start-actions">
          <button type="button" class="start-card is-main" onClick={() => props.onNew()}>
            <Icon name="plus" />
            <strong>{t("New workbook")}</strong>
            <span>{t("Share the link to collaborate")}</span>
          </button>
          <button type="button" class="start-card" onClick={() => fileField?.click()}>
            <Icon name="upload" />
            <strong>{t("Open a file")}</strong>
            <span>{t("Or drop it here: {types}", { types: "\u2066.xlsx, .ods, .csv\u2069" })}</span>
          </button>
          <input
            ref={fileField}
            type="file"
            hidden
            accept={FILE_TYPES}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file) {
                props.onFile(file);
              }
            }}
          />
        </div>
        <section class="start-recent" aria-labelledby="recent-heading">
          <h2 id="recent-heading">{t("Recent in this browser")}</h2>
          <Show
            when={recent().length > 0}
            fallback={<p class="start-empty">{t("Workbooks that you open will be listed here.")}</p>}
          >
            <ul>
              <For each={recent()}>
                {({ room, title, visitedAtMs }) => (
                  <li>
                    <a
                      href={roomPath(room)}
                      onClick={(event) => {
                        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
                          event.preventDefault();
                          props.onOpen(room);
                        }
                      }}
                    >
                      <Icon name="sheet" />
                      <span class="start-room">
                        <bdi>{title ?? roomTitle(room)}</bdi>
                        {/* Distinguishes rooms of the same title by a part of their name. */}
                        <Show when={(title ?? roomTitle(room)) !== room}>
                          <small dir="ltr">{roomTitle(room) === room ? room : room.slice(-6)}</small>
                        </Show>
                      </span>
                      <time dateTime={new Date(visitedAtMs).toISOString()}>{ago(visitedAtMs)}</time>
                    </a>
                    <button
                      type="button"
                      class="tool"
                      aria-label={t("Remove {name} from this list", { name: title ?? room })}
                      title={t("Remove from this list")}
                      onClick={() => {
                        forgetRoom(room);
                        setRecent(recentRooms());
                      }}
                    >
                      <Icon name="close" />
                    </button>
                  </li>
                )}
              </For>
            </ul>
          </Show>
        </section>
      </main>
      <footer class="start-footer">
        <LanguageField />
      </footer>
      <FileDropZone text={t("Drop the file to open it as a new workbook")} onFile={(file) => props.onFile(file)} />
    </div>
  );
}
