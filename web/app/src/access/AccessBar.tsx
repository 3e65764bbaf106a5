/** The bar in place of the toolbar for people who cannot edit: what they can do, and a request for more. */

import "../style/share.css";
import { createEffect, createSignal, Match, Show, Switch } from "solid-js";
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
  const [fullOwner, setFullOwner] = createSignal<"self" | "other">();
  createEffect(() => {
    setFullOwner(undefined);
    if (model.access.limitedRole() === "view" && !opensForViewing()) {
      void ownerWithoutStorage(model.room).then(setFullOwner);
    }
  });
  const title = () => (fullOwner() ? t("Storage full") : canComment() ? t("Comment only") : t("View only"));
  const explanation = () => {
    switch (fullOwner()) {
      case "self":
        return t("Your storage is full, so this workbook cannot be changed. Delete workbooks, or ask an administrator for more storage. Editing then continues here.");
      case "other":
        return t("The storage of this workbook's owner is full, so nobody can change it. Tell the owner. Editing continues here when there is storage again.");
      default:
        return canComment()
          ? t("You can read this workbook, comment on its cells and write in the chat. What you enter into cells is a suggestion, which editors can accept.")
          : t("You can read, copy, print and download this workbook. You cannot change it.");
    }
  };
  return (
    <div class="toolbar access-bar" role="toolbar" aria-label={t("Access")}>
      <Popover
        isForViewers
        hint={t("What you can do here")}
        buttonClass="access-chip"
        button={
          <>
            <Icon name={fullOwner() ? "warning" : canComment() ? "comment" : "eye"} />
            {title()}
          </>
        }
        class="access-explanation"
        heading={title()}
        description={explanation()}
        onClosed={() => {
          if (!isAsking()) {
            model.focusCells();
          }
        }}
      >
        {(close) => (
          <Switch
            fallback={
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
            }
          >
            {/* The address asks for the view; the role may be higher. */}
            <Match when={opensForViewing()}>
              <a class="button is-main" href={location.pathname}>
                {t("Open for editing")}
              </a>
            </Match>
            {/* The role of this person is not the reason, so that there is nothing to request. */}
            <Match when={fullOwner()}>{null}</Match>
          </Switch>
        )}
      </Popover>
      <ToolButton
        isForViewers
        icon="comment"
        label={`${t("Comments")} (${keyLabel("mod+alt+m")})`}
        isPressed={model.panel() === "comments"}
        onPress={() => (model.panel() === "comments" ? model.closePanel() : model.openPanel("comments"))}
      />
      <Show when={canComment()}>
        <ToolButton
          isForViewers
          icon="edit"
          label={t("Suggestions|of edits")}
          isPressed={model.panel() === "suggestions"}
          onPress={() => (model.panel() === "suggestions" ? model.closePanel() : model.openPanel("suggestions"))}
        />
      </Show>
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

/**
 * Whose storage is full, if that is why the workbook can only be viewed: the server then opens it
 * with the role of a viewer, although the person may do more.
 */
async function ownerWithoutStorage(room: string): Promise<"self" | "other" | undefined> {
  const access = await import("./access-api.ts").then((api) => api.readAccess(room)).catch(() => undefined);
  return access?.role === "owner" ? "self" : access?.role === "edit" ? "other" : undefined;
}
