/**
 * Menus as the page uses them. Their buttons are there at once; what opens from them is loaded when it is first wanted,
 * and stands in the button's place from then on.
 */

import { createEffect, createSignal, type JSX, mergeProps, Show } from "solid-js";
import { type Changes, createBlock } from "./edit-permission.ts";
import type { IconName } from "./Icon.tsx";
import { loadedOverlays, overlaysFrom, afterOverlaysLoad } from "./load-overlays.ts";

export interface MenuProps extends Changes {
  readonly label: string;
  /** What the button shows. */
  readonly button: JSX.Element;
  readonly buttonClass?: string;
  readonly children: JSX.Element;
  /** Where focus goes when the menu closes. */
  readonly onClosed: () => void;
  readonly isDisabled?: boolean;
}

/** How a menu was asked for: the name of a key, or a press. */
export type Press = "pointer" | "Enter" | " " | "ArrowDown" | "ArrowUp";

export function Menu(props: MenuProps) {
  const block = createBlock(props);
  const [press, setPress] = createSignal<Press>();
  let wanted: Press | undefined;
  createEffect(() => {
    if (block.reason() !== undefined) {
      wanted = undefined;
      setPress(undefined);
    }
  });
  const want = (how: Press): void => {
    wanted ??= how;
    afterOverlaysLoad(
      () => setPress(wanted),
      () => {
        wanted = undefined;
      },
    );
  };
  const pressed = (key: string): Press | undefined =>
    key === "Enter" || key === " " || key === "ArrowDown" || key === "ArrowUp" ? key : undefined;
  return (
    <Show
      when={press()}
      keyed
      fallback={
        <button
          type="button"
          class={props.buttonClass ?? "tool"}
          aria-label={props.label}
          title={block.hint(props.label)}
          aria-disabled={block.ariaDisabled()}
          aria-haspopup="true"
          aria-expanded="false"
          disabled={props.isDisabled ?? false}
          onClick={() => block.press(() => want("pointer"))}
          onKeyDown={(event) => {
            const how = pressed(event.key);
            if (how) {
              event.preventDefault();
              event.stopPropagation();
              block.press(() => want(how));
            }
          }}
          // Who has gone elsewhere while it was being loaded does not want it any more.
          onBlur={() => {
            wanted = undefined;
          }}
        >
          {props.button}
        </button>
      }
    >
      {(how) => loadedOverlays().Menu(mergeProps(props, { press: how }))}
    </Show>
  );
}

export interface PointMenuProps {
  readonly label: string;
  readonly at: Pick<DOMRect, "x" | "y"> & Partial<Pick<DOMRect, "width" | "height">> | undefined;
  /** It opens upwards, and leaves in sight what it is about. */
  readonly isAbove?: boolean;
  readonly children: JSX.Element;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** A menu at a point or a part of the screen, as a right click opens it. */
export function PointMenu(props: PointMenuProps) {
  const parts = overlaysFrom(() => props.at !== undefined);
  createEffect(() => {
    if (props.at !== undefined) {
      afterOverlaysLoad(
        () => undefined,
        () => {
          props.onClose();
          props.onClosed();
        },
      );
    }
  });
  return <Show when={parts()}>{(loaded) => loaded().PointMenu(props)}</Show>;
}

export interface MenuItemProps extends Changes {
  readonly icon?: IconName;
  readonly keys?: string;
  /** Stands where the key would, for example a format's example. */
  readonly note?: string;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  readonly onSelect: () => void;
  readonly children: JSX.Element;
}

export function MenuItem(props: MenuItemProps) {
  return loadedOverlays().MenuItem(props);
}

export interface MenuCheckProps extends Changes {
  /** Takes the tick's place at the start; the tick is at the end then. */
  readonly icon?: IconName;
  readonly keys?: string;
  /** Stands at the end, such as which cells are meant. */
  readonly note?: string | undefined;
  readonly isChecked: boolean;
  readonly onSelect: () => void;
  /** Several may be wanted at once. */
  readonly staysOpen?: boolean;
  readonly children: JSX.Element;
}

/** What is on or off, or one of several that applies. */
export function MenuCheck(props: MenuCheckProps) {
  return loadedOverlays().MenuCheck(props);
}

export interface MenuLinkProps {
  readonly href: string;
  readonly children: JSX.Element;
  readonly note?: string;
}

export function MenuLink(props: MenuLinkProps) {
  return loadedOverlays().MenuLink(props);
}

export function MenuLine() {
  return loadedOverlays().MenuLine();
}

export function MenuHeading(props: { readonly children: JSX.Element }) {
  return <div class="menu-heading">{props.children}</div>;
}
