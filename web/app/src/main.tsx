import "./style/base.css";
import { render } from "solid-js/web";
import { loadEngine } from "./engine/load-engine.ts";
import { embedding, watchPresses } from "./embed/mode.ts";
import { afterFirstLook, firstLook, firstLookSeen } from "./preview/preview.ts";
import { startLanguage } from "./language/language.ts";
import { keepPage } from "./offline/register-service-worker.ts";
import { Page } from "./app/App.tsx";
import { roomOfPath } from "./rooms/rooms.ts";
import { startScheme, wantScheme } from "./theme/color-scheme.ts";

// Cells to look at come first, with what draws them; the engine, which is the largest part, after them. Whoever uses
// it hears of a failure.
const room = roomOfPath(location.pathname);
if (room !== undefined) {
  void firstLook(room);
  if (embedding) {
    firstLookSeen();
  } else {
    void import("./preview/PreviewSheet.tsx");
  }
  void afterFirstLook().then(() => loadEngine().catch(() => undefined));
}

const root = document.getElementById("app");
if (!root) {
  throw new Error("index.html has no #app");
}
startScheme();
wantScheme(embedding?.scheme);
await startLanguage(embedding?.language);
render(() => <Page />, root);
if (!embedding) {
  keepPage();
}
watchPresses();
