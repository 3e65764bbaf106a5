import "./style/base.css";
import { render } from "solid-js/web";
import { loadEngine } from "./engine.ts";
import { embedding, watchPresses } from "./embed/mode.ts";
import { afterFirstLook, firstLook, firstLookSeen } from "./first-look/look.ts";
import { startLanguage } from "./language/language.ts";
import { keepPage } from "./offline/register.ts";
import { Page } from "./Page.tsx";
import { roomOfPath } from "./rooms.ts";
import { startScheme, wantScheme } from "./scheme.ts";

// Cells to look at come first, with what draws them; the engine, which is the largest part, after them. Whoever uses
// it hears of a failure.
const room = roomOfPath(location.pathname);
if (room !== undefined) {
  void firstLook(room);
  if (embedding) {
    firstLookSeen();
  } else {
    void import("./first-look/FirstSight.tsx");
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
