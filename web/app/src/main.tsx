/** Entry point of the client: starts downloads, theme and language, then renders the page. */

import "./style/base.css";
import { render } from "solid-js/web";
import { takeFragment } from "./access/index.ts";
import { loadEngine } from "./engine/index.ts";
import { embedding, watchPresses } from "./embed/index.ts";
import { loadPreview, markPreviewShown, previewShown } from "./preview/index.ts";
import { startLanguage } from "./language/index.ts";
import { registerServiceWorker } from "./offline/index.ts";
import { App } from "./App.tsx";
import { roomOfPath } from "./rooms/index.ts";
import { startScheme, setSchemeOverride } from "./theme/index.ts";

// The preview and the code that draws it load first, the engine, which is the largest download,
// after them. Callers of `loadEngine` report a failure.
const room = roomOfPath(location.pathname);
if (room !== undefined) {
  takeFragment(room);
  // Another link to the same workbook, opened in this tab, changes only the fragment.
  window.addEventListener("hashchange", () => {
    if (takeFragment(room)) {
      location.reload();
    }
  });
  void loadPreview(room);
  if (embedding) {
    markPreviewShown();
  } else {
    void import("./preview/PreviewSheet.tsx");
  }
  void previewShown().then(() => loadEngine().catch(() => undefined));
}

const root = document.getElementById("app");
if (!root) {
  throw new Error("index.html has no #app");
}
startScheme();
setSchemeOverride(embedding?.scheme);
await startLanguage(embedding?.language);
render(() => <App />, root);
if (!embedding) {
  registerServiceWorker();
}
watchPresses();
