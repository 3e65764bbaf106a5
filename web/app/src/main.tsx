import "./style/base.css";
import { render } from "solid-js/web";
import { Page } from "./Page.tsx";

const root = document.getElementById("app");
if (!root) {
  throw new Error("index.html has no #app");
}
render(() => <Page />, root);
