/**
 * The footer of an embedded workbook, which replaces the header: title, state and a link to the
 * workbook.
 */

import "../style/embed.css";
import { onCleanup, onMount, Show } from "solid-js";
import { t } from "../language/index.ts";
import { Icon, Logo } from "../components/index.ts";
import { roomPath } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { HostBridge } from "./host-bridge.ts";
import type { Embedding } from "./mode.ts";

/** The footer; connects the page to its host. */
export function EmbedFooter(props: { readonly model: WorkbookModel; readonly embedding: Embedding }) {
  const { model, embedding } = props;
  onMount(() => {
    const grid = document.querySelector("main.grid");
    const bridge = new HostBridge(model, embedding, () => window.innerHeight - (grid?.clientHeight ?? window.innerHeight));
    onCleanup(() => bridge.dispose());
  });
  const isLost = () => {
    const { state } = model.connection();
    return state === "lost" || state === "refused";
  };
  return (
    <div class="embed-footer">
      <h1 class="embed-name" dir="auto">{model.title.displayed()}</h1>
      <span class="embed-state" role="status" aria-label={t("Save status")}>
        <Show when={isLost()} fallback={model.status().unconfirmed > 0 || model.isSending() ? t("Saving…") : ""}>
          <span class="is-warning">
            <Icon name="cloudOff" />
            {t("Offline")}
          </span>
        </Show>
      </span>
      <a class="embed-open" href={`${roomPath(model.room)}${embedding.mode === "view" ? "?view" : ""}`} target="_blank" rel="noopener">
        <Logo sizePx={18} />
        <span class="embed-open-text">{t("Open in Quadrille")}</span>
        <Icon name="share" />
      </a>
    </div>
  );
}
