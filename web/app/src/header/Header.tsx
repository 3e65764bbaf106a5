/** The header: title, saving state, menus, people and sharing. */

import { serverPath } from "../base-path.ts";
import { createEffect, createMemo, createSignal, onCleanup, onMount, Show } from "solid-js";
import { FILE_TYPES } from "../files/index.ts";
import { createAvailability, Icon, type IconName, KeyedFor, LazyBoundary, Logo, lazyComponent, Popover } from "../components/index.ts";
import { MenuBar } from "../menus/index.ts";
import type { WorkbookModel } from "../state/index.ts";
import { openParts } from "../workbook/index.ts";
import { Avatar } from "./Avatar.tsx";
import { TitleField } from "./TitleField.tsx";
import { showNumber, t } from "../language/index.ts";

// Loaded after the code that is needed for editing.
const LaterButtons = lazyComponent(async () => {
  await new Promise((resume) => setTimeout(resume));
  return (await import("./LaterButtons.tsx")).LaterButtons;
});

const AccountMenu = lazyComponent(async () => {
  await new Promise((resume) => setTimeout(resume));
  return (await import("../accounts/AccountMenu.tsx")).AccountMenu;
});

/** Number of people that are shown; the others are counted. */
const AVATARS_MAX = 4;

/** The header of a workbook. */
export function Header(props: {
  readonly model: WorkbookModel;
  readonly onLeave: () => void;
  readonly onFile: (file: File) => void;
}) {
  const { model } = props;
  let fileField: HTMLInputElement | undefined;
  return (
    <div class="header">
      <a
        class="header-home"
        href={serverPath("/")}
        aria-label={t("Quadrille: start page")}
        title={t("Start page")}
        onClick={(event) => {
          if (!event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            props.onLeave();
          }
        }}
      >
        <Logo sizePx={28} />
      </a>
      <div class="header-title">
        <TitleField model={model} />
        <SaveState model={model} />
      </div>
      <MenuBar model={model} onImport={() => fileField?.click()} />
      <div class="header-people">
        <Show when={model.status().isReady}>
          <Chat model={model} />
        </Show>
        <People model={model} />
      </div>
      <Share model={model} />
      <button
        type="button"
        class="tool header-help"
        aria-label={t("Help")}
        title={`${t("Keyboard shortcuts")} (F1)`}
        onClick={() => model.openDialog("shortcuts")}
      >
        <Icon name="help" />
      </button>
      <div class="header-account">
        <Show when={model.status().isReady}>
          <LazyBoundary failed={() => undefined}>
            <AccountMenu onClosed={() => model.focusCells()} onSignedIn={({ name }) => model.setAccountName(name)} />
          </LazyBoundary>
        </Show>
      </div>
      <input
        ref={fileField}
        type="file"
        hidden
        accept={FILE_TYPES}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) {
            props.onFile(file);
          }
        }}
      />
    </div>
  );
}

function Chat(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  let isRetry = false;
  return (
    <LazyBoundary
      failed={(retry) => (
        <ChatLoadError
          onMounted={() => {
            // The first, automatic attempt fails silently.
            if (isRetry) {
              model.toast(t("This part of the page could not be loaded. Check the connection, then reload the page."), true);
            }
          }}
          onRetry={() => {
            isRetry = true;
            retry();
          }}
        />
      )}
    >
      <LaterButtons model={model} />
    </LazyBoundary>
  );
}

/** The button in place of the chat button when loading failed. */
function ChatLoadError(props: { readonly onMounted: () => void; readonly onRetry: () => void }) {
  onMount(() => props.onMounted());
  const hint = () => `${t("Chat")}\n${t("This part of the page could not be loaded. Check the connection, then reload the page.")}`;
  return (
    <button type="button" class="tool" aria-label={t("Chat")} title={hint()} onClick={() => props.onRetry()}>
      <Icon name="warning" />
    </button>
  );
}

/** A change is normally saved in milliseconds; after this time the person is told that it waits. */
const SLOW_SAVE_MS = 5_000;

interface SavingState {
  readonly icon?: IconName;
  readonly text: string;
  /** Short text for phones. */
  readonly short?: string;
  readonly isWarning?: boolean;
}

/** The saving state. "Saved" means that the server has stored all changes durably. */
function SaveState(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const unsentCount = () => model.status().unconfirmed;
  const { connectionError } = model.editPermission;
  const isOpen = () => model.connection().state === "open" && model.status().isConnected;
  // The stored copy is displayed before the first connection attempt has ended; the client is not
  // offline yet.
  const hasBeenLost = createMemo((before: boolean) => before || model.connection().state === "lost", false);
  // The server answers and saves nothing: its storage is slow or away.
  const [isSlow, setSlow] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopTimer = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  createEffect((before: number) => {
    const waiting = isOpen() ? unsentCount() : 0;
    if (waiting === 0 || waiting < before) {
      stopTimer();
      setSlow(false);
    }
    if (waiting > 0) {
      timer ??= setTimeout(() => setSlow(true), SLOW_SAVE_MS);
    }
    return waiting;
  }, 0);
  onCleanup(stopTimer);
  const state = createMemo((): SavingState => {
    if (model.connection().state === "refused" || model.stopped() !== undefined) {
      return { icon: "cloudOff", text: t("Offline"), isWarning: true };
    }
    if (!model.status().isReady) {
      const error = connectionError();
      return error
        ? { icon: "cloudOff", text: error.short, isWarning: true }
        : { text: model.preview.isOn() ? t("Opening the workbook…") : t("Connecting…") };
    }
    if (!isOpen() && !hasBeenLost() && unsentCount() === 0) {
      return { text: t("Connecting…") };
    }
    if (!isOpen()) {
      const short = unsentCount() === 0 ? undefined : t("{count} not sent", { count: unsentCount() });
      return { icon: "cloudOff", text: offlineText(), ...(short && { short }), isWarning: true };
    }
    if (isSlow() && unsentCount() > 0) {
      const count = unsentCount();
      const text = t("Waiting for the server · {count} changes not saved yet", { count });
      return { icon: "cloudOff", text, short: t("Saving…"), isWarning: true };
    }
    if (unsentCount() > 0 || model.isSending()) {
      return { icon: "cloud", text: t("Saving…") };
    }
    return model.access.limitedRole() !== "view" ? { icon: "check", text: t("Saved") } : { icon: "lock", text: t("Read only") };
  });
  const offlineText = (): string => {
    if (unsentCount() === 0) {
      return t("Offline");
    }
    return model.isPersisted()
      ? t("Offline · {count} changes stored on this device, not sent yet", { count: unsentCount() })
      : t("Offline · {count} changes not saved yet", { count: unsentCount() });
  };
  // Edits that are saved as usual are not announced, but warnings are, and that they are over.
  const announced = createMemo(
    (before: { readonly isNow: boolean; readonly isNext: boolean }) => {
      const { isWarning = false, icon } = state();
      return { isNow: isWarning || before.isNext, isNext: isWarning || (before.isNext && icon === "cloud") };
    },
    { isNow: false, isNext: false },
  );
  // Reuses the same nodes, as the state changes twice with every edit.
  return (
    <p class="save-state" role="status" aria-live={announced().isNow ? "polite" : "off"} aria-label={t("Save status")}>
      <span classList={{ "is-warning": state().isWarning ?? false }} data-short={state().short}>
        <Show when={state().icon}>{(icon) => <Icon name={icon()} />}</Show>
        <span class="save-long">{state().text}</span>
      </span>
    </p>
  );
}

function People(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  const totalCount = () => Math.max(model.peopleCount(), model.people().length + 1);
  return (
    <Popover
      isForViewers
      label={t("{count} people here", { count: totalCount() })}
      hint={t("People in this workbook")}
      buttonClass="people"
      placement="bottom-end"
      button={
        <>
          <KeyedFor each={model.people().slice(0, AVATARS_MAX)} by={({ session, name, color }) => `${session} ${color} ${name}`}>
            {(person) => <Avatar name={person().name} color={person().color} picture={model.access.identification.pictures.of(person().session)} />}
          </KeyedFor>
          <Show when={totalCount() - 1 > AVATARS_MAX}>
            <span class="avatar is-count" data-initials={`+${showNumber(totalCount() - 1 - AVATARS_MAX)}`} />
          </Show>
          <Show when={totalCount() > 2}>
            <span class="avatar is-count is-narrow" data-initials={`+${showNumber(totalCount() - 2)}`} />
          </Show>
          <Show when={model.identity()} keyed>
            {(me) => <Avatar name={me.name} color={me.color} picture={model.access.identification.pictures.of(undefined)} />}
          </Show>
        </>
      }
      class="people-list"
      heading={t("People here")}
      onClosed={() => model.focusCells()}
    >
      {() => openParts().PeopleList({ model })}
    </Popover>
  );
}

function Share(props: { readonly model: WorkbookModel }) {
  const { model } = props;
  // The address is valid while the workbook is loading, but not if it fails to open.
  const availability = createAvailability({
    isForViewers: true,
    get needsWorkbook() {
      return model.editPermission.connectionError() !== undefined;
    },
  });
  const requests = () => model.access.ownerInfo()?.requests ?? 0;
  return (
    <button
      type="button"
      class="button is-main header-share"
      aria-haspopup="dialog"
      aria-disabled={availability.ariaDisabled()}
      aria-description={requests() > 0 ? t("{count} requests for access", { count: requests() }) : undefined}
      title={availability.hint(t("Share this workbook"))}
      onClick={() => availability.run(() => model.openDialog("share"))}
    >
      <Icon name="share" />
      <span class="button-text">{t("Share")}</span>
      <Show when={requests() > 0}>
        <span class="header-share-count" data-count={showNumber(requests())} aria-hidden="true" />
      </Show>
    </button>
  );
}
