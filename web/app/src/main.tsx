import "./style/base.css";
import { render } from "solid-js/web";
import { loadEngine } from "./engine.ts";
import { embedding, watchPresses } from "./embed/mode.ts";
import { startLanguage } from "./language/language.ts";
import { keepPage } from "./offline/register.ts";
import { Page } from "./Page.tsx";
import { roomOfPath } from "./rooms.ts";
import { startScheme, wantScheme } from "./scheme.ts";

// The engine is the largest part: it comes while the page's other parts are still being asked for. Whoever uses it
// hears of a failure.
if (roomOfPath(location.pathname) !== undefined) {
  loadEngine().catch(() => undefined);
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
