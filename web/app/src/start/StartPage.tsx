/** The start page `/`: a new workbook, a file, or one of the workbooks that this person knows. */

import "../style/start.css";
import "../style/touch.css";
import { FILE_TYPES } from "../files/index.ts";
import { FileDropZone, Icon, LanguageField, LazyBoundary, lazyComponent, LoadError, Logo } from "../components/index.ts";
import { t } from "../language/index.ts";

const WorkbookLists = lazyComponent(() => import("./WorkbookLists.tsx").then((module) => module.WorkbookLists));

const AccountMenu = lazyComponent(() => import("../accounts/AccountMenu.tsx").then((module) => module.AccountMenu));

/** The start page. */
export function StartPage(props: {
  readonly onNew: () => void;
  readonly onOpen: (room: string) => void;
  readonly onFile: (file: File) => void;
}) {
  document.title = "Quadrille";
  let fileField: HTMLInputElement | undefined;

  return (
    <div class="start">
      <div class="start-account">
        <AccountMenu />
      </div>
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
            <span>{t("Or drop it here: {types}", { types: "\u2066.xlsx, .xls, .ods, .csv\u2069" })}</span>
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
        <LazyBoundary failed={(retry) => <LoadError onRetry={retry} />}>
          <WorkbookLists onOpen={props.onOpen} />
        </LazyBoundary>
      </main>
      <footer class="start-footer">
        <LanguageField />
      </footer>
      <FileDropZone text={t("Drop the file to open it as a new workbook")} onFile={(file) => props.onFile(file)} />
    </div>
  );
}
