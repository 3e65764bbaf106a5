/** The bar in place of the toolbar for people who cannot edit: what they can do, and a request for more. */

import "../style/share.css";
import { createSignal, Show } from "solid-js";
import { Icon, LazyBoundary, lazyComponent, DialogLoadError, Popover, ToolButton } from "../components/index.ts";
import { keyLabel } from "../keyboard/index.ts";
import { t } from "../language/index.ts";
import { opensForViewing } from "../rooms/index.ts";
import type { WorkbookModel } from "../state/index.ts";

const RequestDialog = lazyComponent(() => import("./RequestDialog.tsx").then((module) => module.RequestDialog));

/** The bar of viewers and commenters. */
export function AccessBar(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const [isAsking, setIsAsking] = createSignal(false);
  const canComment = () => model.access.limitedRole() === "comment";
  return (
    <div class="toolbar access-bar" role="toolbar" aria-label={t("Access")}>
      <Popover
        isForViewers
        hint={t("What you can do here")}
        buttonClass="access-chip"
        button={
          <>
            <Icon name={canComment() ? "comment" : "eye"} />
            {canComment() ? t("Comment only") : t("View only")}
          </>
        }
        class="access-explanation"
        heading={canComment() ? t("Comment only") : t("View only")}
        description={
          canComment()
            ? t("You can read this workbook, comment on its cells and write in the chat. You cannot change cells.")
            : t("You can read, copy, print and download this workbook. You cannot change it.")
        }
        onClosed={() => {
          if (!isAsking()) {
            model.focusCells();
          }
        }}
      >
        {(close) => (
          <Show
            // The address asks for the view; the role may be higher.
            when={!opensForViewing()}
            fallback={
              <a class="button is-main" href={location.pathname}>
                {t("Open for editing")}
              </a>
            }
          >
            <button
              type="button"
              class="button is-main"
              onClick={() => {
                setIsAsking(true);
                close();
              }}
            >
              {t("Request edit access")}
            </button>
          </Show>
        )}
      </Popover>
      <ToolButton
        isForViewers
        icon="comment"
        label={`${t("Comments")} (${keyLabel("mod+alt+m")})`}
        isPressed={model.panel() === "comments"}
        onPress={() => (model.panel() === "comments" ? model.closePanel() : model.openPanel("comments"))}
      />
      <Show when={isAsking()}>
        <LazyBoundary failed={(retry) => <DialogLoadError onRetry={retry} onClose={() => setIsAsking(false)} />}>
          <RequestDialog
            model={model}
            onClose={() => {
              setIsAsking(false);
              model.focusCells();
            }}
          />
        </LazyBoundary>
      </Show>
    </div>
  );
}
