import "./style/base.css";
import { render } from "solid-js/web";
import { loadEngine } from "./engine/load-engine.ts";
import { embedding, watchPresses } from "./embed/mode.ts";
import { previewShown, loadPreview, markPreviewShown } from "./preview/preview.ts";
import { startLanguage } from "./language/language.ts";
import { registerServiceWorker } from "./offline/register-service-worker.ts";
import { App } from "./app/App.tsx";
import { roomOfPath } from "./rooms/rooms.ts";
import { startScheme, wantScheme } from "./theme/color-scheme.ts";

// Cells to look at come first, with what draws them; the engine, which is the largest part, after them. Whoever uses
// it hears of a failure.
const room = roomOfPath(location.pathname);
if (room !== undefined) {
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
wantScheme(embedding?.scheme);
await startLanguage(embedding?.language);
render(() => <App />, root);
if (!embedding) {
  registerServiceWorker();
}
watchPresses();
