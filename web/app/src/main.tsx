import "./style/base.css";
import { render } from "solid-js/web";
import engineUrl from "@quadrille/engine/quadrille.wasm?url";
import { Page } from "./Page.tsx";
import { roomOfPath } from "./rooms.ts";

// The engine is the largest part: it comes while the page's other parts are still being asked for.
if (roomOfPath(location.pathname) !== undefined) {
  const preload = document.createElement("link");
  preload.rel = "preload";
  preload.as = "fetch";
  preload.crossOrigin = "anonymous";
  preload.href = engineUrl;
  document.head.append(preload);
}

const root = document.getElementById("app");
if (!root) {
  throw new Error("index.html has no #app");
}
render(() => <Page />, root);
